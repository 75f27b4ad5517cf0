// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/tcp_settings.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/core.h>
#include <limits>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <sys/socket.h>
#include <utility>

#include "analyzer/base/congestion_control_name.h"

namespace sanscope {
namespace {

struct NumberOption {
    int level;
    int option;
    const char* name;
};
constexpr NumberOption segment_size{IPPROTO_TCP, TCP_MAXSEG, "maximum segment size"};
constexpr NumberOption clamp{IPPROTO_TCP, TCP_WINDOW_CLAMP, "window clamp"};

struct Buffer {
    NumberOption option;
    int forced;  // what also goes beyond the system's limit
    const char* limit;
};
constexpr Buffer receive_buffer{
    {SOL_SOCKET, SO_RCVBUF, "receive buffer"}, SO_RCVBUFFORCE, "net.core.rmem_max"};
constexpr Buffer send_buffer{{SOL_SOCKET, SO_SNDBUF, "send buffer"}, SO_SNDBUFFORCE, "net.core.wmem_max"};

std::optional<int> value_of(int socket, const NumberOption& option) {
    int value = 0;
    socklen_t length = sizeof value;
    if (::getsockopt(socket, option.level, option.option, &value, &length) != 0) return std::nullopt;
    return value;
}

Result<std::monostate> set(int socket, const NumberOption& option, int value) {
    if (value == 0 || ::setsockopt(socket, option.level, option.option, &value, sizeof value) == 0)
        return std::monostate{};
    return Error{fmt::format("a {} of {} bytes is refused: {}", option.name, value, std::strerror(errno))};
}

// Linux takes twice as much as it is asked for, half of it for its own needs (socket(7)).
Result<std::monostate> set_buffer(int socket, const Buffer& buffer, int bytes) {
    if (bytes == 0) return std::monostate{};
    if (::setsockopt(socket, SOL_SOCKET, buffer.forced, &bytes, sizeof bytes) != 0) {
        if (auto done = set(socket, buffer.option, bytes); !done) return done;
    }
    const auto got = value_of(socket, buffer.option);
    if (!got || *got / 2 >= bytes) return std::monostate{};
    constexpr int most = std::numeric_limits<int>::max() / 2;
    if (*got / 2 >= most) {
        return Error{
            fmt::format("a {} of {} bytes is more than a socket has: {}", buffer.option.name, bytes, most)};
    }
    return Error{fmt::format("a {} of {} bytes is more than this system gives, which is {}: {} bounds it",
                             buffer.option.name, bytes, *got / 2, buffer.limit)};
}

bool set_congestion_control(int socket, const std::string& name) {
    if (name.size() < congestion_control_name_bytes) {
        return ::setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name.data(),
                            static_cast<socklen_t>(name.size())) == 0;
    }
    errno = ENAMETOOLONG;  // the kernel would take the beginning of it
    return false;
}

std::string congestion_control_of(int socket) {
    std::array<char, congestion_control_name_bytes + 1> name{};
    socklen_t length = congestion_control_name_bytes;
    if (::getsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name.data(), &length) != 0) return {};
    return name.data();
}

}  // namespace

Result<std::monostate> set_tcp_settings(int socket, const TcpSettings& settings) {
    if (!settings.congestion_control.empty() &&
        !set_congestion_control(socket, settings.congestion_control)) {
        return Error{
            fmt::format("the congestion control {} cannot be used here: {} "
                        "(net.ipv4.tcp_allowed_congestion_control lists "
                        "those that may be)",
                        settings.congestion_control, std::strerror(errno))};
    }
    const int to_receive = settings.receive_buffer != 0 ? settings.receive_buffer : settings.window_clamp;
    if (auto done = set_buffer(socket, receive_buffer, to_receive); !done) return done;
    if (auto done = set_buffer(socket, send_buffer, settings.send_buffer); !done) return done;
    if (auto done = set(socket, segment_size, settings.maximum_segment_size); !done) return done;
    return set(socket, clamp, settings.window_clamp);
}

std::vector<std::string> settle_tcp_settings(int socket, const TcpSettings& settings) {
    std::vector<std::string> others;
    const std::string& asked = settings.congestion_control;
    if (!asked.empty() && congestion_control_of(socket) != asked) {
        set_congestion_control(socket, asked);
        if (const std::string has = congestion_control_of(socket); has != asked) {
            others.push_back(fmt::format(
                "congestion control: {} was asked for, the connection has {} (a route may name it: ip route)",
                asked, has.empty() ? "another" : has));
        }
    }
    for (const auto& [option, bytes] : {std::pair(receive_buffer.option, settings.receive_buffer),
                                        std::pair(send_buffer.option, settings.send_buffer)}) {
        const auto has = value_of(socket, option);
        if (bytes != 0 && has && *has / 2 != bytes) {
            others.push_back(fmt::format("{}: {} bytes were asked for, the connection has {}", option.name,
                                         bytes, *has / 2));
        }
    }
    const int largest = settings.maximum_segment_size;
    if (const auto has = value_of(socket, segment_size); largest != 0 && has && *has != largest) {
        others.push_back(
            fmt::format("{}: {} bytes were asked for, a segment has {} of data (TCP options, the path MTU "
                        "and the other end bound it as well)",
                        segment_size.name, largest, *has));
    }
    renew_window_clamp(socket, settings);
    const auto has = value_of(socket, clamp);
    if (settings.window_clamp != 0 && has && *has != settings.window_clamp) {
        others.push_back(fmt::format("{}: {} bytes were asked for, the connection has {}", clamp.name,
                                     settings.window_clamp, *has));
    }
    return others;
}

void merge_tcp_differences(std::vector<std::string>& all, std::vector<std::string> others) {
    constexpr size_t most = 16;
    for (std::string& one : others) {
        if (all.size() < most && std::ranges::find(all, one) == all.end()) all.push_back(std::move(one));
    }
}

void renew_window_clamp(int socket, const TcpSettings& settings) {
    if (settings.window_clamp == 0) [[likely]]
        return;
    ::setsockopt(socket, clamp.level, clamp.option, &settings.window_clamp, sizeof settings.window_clamp);
}

}  // namespace sanscope
