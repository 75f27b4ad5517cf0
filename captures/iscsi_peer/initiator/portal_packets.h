// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "captures/iscsi_peer/initiator/tcp_socket.h"

namespace sanscope {

// Where the packets to an address can be recorded: the interface through which the kernel sends them, or "any" where
// that is not known.
std::string interface_towards(const SocketAddress& address);

// What picks out the packets to and from these addresses, in libpcap's language.
std::string capture_filter(const std::vector<SocketAddress>& addresses);

}  // namespace sanscope
