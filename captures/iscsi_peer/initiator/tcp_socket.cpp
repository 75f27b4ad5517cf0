// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/initiator/tcp_socket.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/core.h>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

namespace sanscope {
namespace {

Error connect_error(const SocketAddress& to, int error) {
    return {fmt::format("{}: {}", address_text(to), std::strerror(error))};
}

}  // namespace

Result<std::vector<SocketAddress>> resolve(const std::string& host, uint16_t port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV;
    addrinfo* list = nullptr;
    const int status = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
    if (status != 0) return Error{fmt::format("{}: {}", host, ::gai_strerror(status))};
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned(list, ::freeaddrinfo);
    std::vector<SocketAddress> addresses;
    for (const addrinfo* one = list; one != nullptr; one = one->ai_next) {
        SocketAddress address;
        address.length = one->ai_addrlen;
        std::memcpy(&address.storage, one->ai_addr, one->ai_addrlen);
        addresses.push_back(address);
    }
    return addresses;
}

std::string address_text(const SocketAddress& address) {
    std::array<char, NI_MAXHOST> host{};
    std::array<char, NI_MAXSERV> port{};
    if (::getnameinfo(reinterpret_cast<const sockaddr*>(&address.storage), address.length, host.data(),
                      host.size(), port.data(), port.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
        return "an address that has no text";
    }
    const bool v6 = address.storage.ss_family == AF_INET6;
    return fmt::format("{}{}{}:{}", v6 ? "[" : "", host.data(), v6 ? "]" : "", port.data());
}

std::string host_text(const SocketAddress& address) {
    std::array<char, NI_MAXHOST> host{};
    if (::getnameinfo(reinterpret_cast<const sockaddr*>(&address.storage), address.length, host.data(),
                      host.size(), nullptr, 0, NI_NUMERICHOST) != 0) {
        return "an address that has no text";
    }
    return host.data();
}

Result<FileDescriptor> begin_connect(const SocketAddress& to, const TcpSettings& options) {
    FileDescriptor socket(::socket(to.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (socket.get() < 0) return connect_error(to, errno);
    constexpr int yes = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (const auto set = set_tcp_settings(socket.get(), options); !set) return set.error();
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to.storage), to.length) != 0 &&
        errno != EINPROGRESS) {
        return connect_error(to, errno);
    }
    return socket;
}

Result<std::monostate> connect_outcome(int socket, const SocketAddress& to) {
    int error = 0;
    socklen_t length = sizeof error;
    if (::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length) != 0) error = errno;
    if (error != 0) return connect_error(to, error);
    return std::monostate{};
}

Result<FileDescriptor> connect_to(const std::vector<SocketAddress>& addresses, const TcpSettings& options,
                                  std::chrono::milliseconds patience) {
    Error last{"the host has no address"};
    for (const SocketAddress& address : addresses) {
        auto socket = begin_connect(address, options);
        if (!socket) {
            last = socket.error();
            continue;
        }
        pollfd waiting{.fd = socket->get(), .events = POLLOUT, .revents = 0};
        const int ready = ::poll(&waiting, 1, static_cast<int>(patience.count()));
        if (ready < 0 && errno == EINTR) return Error{"interrupted"};
        if (ready <= 0) {
            last = connect_error(address, ETIMEDOUT);
            continue;
        }
        auto outcome = connect_outcome(socket->get(), address);
        if (outcome) return std::move(*socket);
        last = outcome.error();
    }
    return last;
}

}  // namespace sanscope
