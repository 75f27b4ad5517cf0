// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/metrics/listen_address.h"

#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "analyzer/base/file_descriptor.h"

namespace sanscope {
namespace {

union SocketAddress {
    sockaddr any;
    sockaddr_in v4;
    sockaddr_in6 v6;
};

// False where it is no address.
bool fill(const ListenAddress& address, SocketAddress& out, socklen_t& length) {
    out = {};
    if (address.is_v6) {
        length = sizeof out.v6;
        out.v6.sin6_family = AF_INET6;
        out.v6.sin6_port = htons(address.port);
        return ::inet_pton(AF_INET6, address.host.c_str(), &out.v6.sin6_addr) == 1;
    }
    length = sizeof out.v4;
    out.v4.sin_family = AF_INET;
    out.v4.sin_port = htons(address.port);
    return ::inet_pton(AF_INET, address.host.c_str(), &out.v4.sin_addr) == 1;
}

bool is_loopback(const ListenAddress& address, const SocketAddress& filled) {
    if (address.is_v6) return IN6_IS_ADDR_LOOPBACK(&filled.v6.sin6_addr);
    return ntohl(filled.v4.sin_addr.s_addr) >> 24 == 127;
}

}  // namespace

std::string ListenAddress::text() const {
    return is_v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

Result<ListenAddress> parse_listen_address(std::string_view text) {
    const Error wrong{fmt::format("'{}' is no ADDRESS:PORT, as 127.0.0.1:9260 or [::1]:9260", text)};
    const size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return wrong;
    std::string_view host = text.substr(0, colon);
    const std::string_view digits = text.substr(colon + 1);
    ListenAddress address;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), address.port);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return wrong;
    if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
        address.is_v6 = true;
        host = host.substr(1, host.size() - 2);
    } else if (host.empty() || host == "localhost") {
        host = "127.0.0.1";
    }
    address.host = host;
    SocketAddress filled;
    socklen_t length = 0;
    if (!fill(address, filled, length)) return wrong;
    address.is_loopback = is_loopback(address, filled);
    return address;
}

Result<std::monostate> check_listening(const ListenAddress& address) {
    SocketAddress filled;
    socklen_t length = 0;
    const auto cannot = [&](int number) {
        return Error{fmt::format("cannot listen on {}: {}", address.text(), std::strerror(number))};
    };
    if (!fill(address, filled, length)) return cannot(EINVAL);
    const FileDescriptor socket(::socket(filled.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (socket.get() < 0) return cannot(errno);
    // As the server will: a port whose last connections are still closing may be taken again.
    const int yes = 1;
    ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (::bind(socket.get(), &filled.any, length) != 0) return cannot(errno);
    if (::listen(socket.get(), 1) != 0) return cannot(errno);
    return std::monostate{};
}

}  // namespace sanscope
