// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <sys/socket.h>
#include <variant>
#include <vector>

#include "captures/iscsi_peer/tcp_settings.h"

#include "analyzer/base/file_descriptor.h"
#include "analyzer/base/result.h"

namespace sanscope {

struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t length = 0;
};

// The addresses of a host (a name, or an address without brackets), in the order in which they are to be tried.
Result<std::vector<SocketAddress>> resolve(const std::string& host, uint16_t port);

// "192.0.2.1:3260", "[2001:db8::1]:3260".
std::string address_text(const SocketAddress& address);
// "192.0.2.1", "2001:db8::1".
std::string host_text(const SocketAddress& address);

// A socket that is on its way to the other end. It does not block; once it may be written to, connect_outcome() says
// whether it got there.
Result<FileDescriptor> begin_connect(const SocketAddress& to, const TcpSettings& options);
Result<std::monostate> connect_outcome(int socket, const SocketAddress& to);

// Waits until the other end, at the first address where there is one, took the connection. The socket does not block.
Result<FileDescriptor> connect_to(const std::vector<SocketAddress>& addresses, const TcpSettings& options,
                                  std::chrono::milliseconds patience);

}  // namespace sanscope
