// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/tcp_settings.h"

#include <cerrno>
#include <cstring>
#include <fmt/core.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace sanscope {
namespace {

Result<std::monostate> set(int socket, int level, int option, int value, const char* what) {
    if (value == 0 || ::setsockopt(socket, level, option, &value, sizeof value) == 0) return std::monostate{};
    return Error{fmt::format("{} of {} bytes is refused: {}", what, value, std::strerror(errno))};
}

struct Buffer {
    int option;
    int forced;  // what also goes beyond the system's limit
    const char* name;
    const char* limit;
};

// Linux takes twice as much as it is asked for, half of it for its own needs (socket(7)).
Result<std::monostate> set_buffer(int socket, const Buffer& buffer, int bytes) {
    if (bytes == 0) return std::monostate{};
    if (::setsockopt(socket, SOL_SOCKET, buffer.forced, &bytes, sizeof bytes) == 0) return std::monostate{};
    if (const auto done = set(socket, SOL_SOCKET, buffer.option, bytes, buffer.name); !done) return done;
    int got = 0;
    socklen_t length = sizeof got;
    if (::getsockopt(socket, SOL_SOCKET, buffer.option, &got, &length) != 0 || got / 2 >= bytes)
        return std::monostate{};
    return Error{fmt::format("{} of {} bytes is more than this system gives, which is {}: {} bounds it",
                             buffer.name, bytes, got / 2, buffer.limit)};
}

}  // namespace

Result<std::monostate> set_tcp_settings(int socket, const TcpSettings& settings) {
    if (!settings.congestion_control.empty() &&
        ::setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, settings.congestion_control.data(),
                     static_cast<socklen_t>(settings.congestion_control.size())) != 0) {
        return Error{
            fmt::format("the congestion control {} cannot be used here: {} "
                        "(net.ipv4.tcp_allowed_congestion_control lists "
                        "those that may be)",
                        settings.congestion_control, std::strerror(errno))};
    }
    constexpr Buffer receive{SO_RCVBUF, SO_RCVBUFFORCE, "a receive buffer", "net.core.rmem_max"};
    constexpr Buffer send{SO_SNDBUF, SO_SNDBUFFORCE, "a send buffer", "net.core.wmem_max"};
    if (const auto done = set_buffer(socket, receive, settings.receive_buffer); !done) return done;
    if (const auto done = set_buffer(socket, send, settings.send_buffer); !done) return done;
    if (const auto done =
            set(socket, IPPROTO_TCP, TCP_MAXSEG, settings.maximum_segment_size, "a maximum segment size");
        !done)
        return done;
    return set(socket, IPPROTO_TCP, TCP_WINDOW_CLAMP, settings.window_clamp, "a window clamp");
}

}  // namespace sanscope
