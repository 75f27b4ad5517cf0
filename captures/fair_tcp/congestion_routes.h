// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "analyzer/base/result.h"

namespace sanscope {

// Routes to single addresses, by which every new connection to or from one has a congestion control (`congctl` of ip-route(8),
// RTAX_CC_ALGO): of this process's network namespace, and told from those of others by their protocol. They need
// CAP_NET_ADMIN.
constexpr unsigned char congestion_route_protocol = 90;

// An address without brackets. The packets go the way they went: the route is the one that there is, with the congestion
// control. An Error where there is none, where the address is this host's own, or has a route of its own already.
Result<std::monostate> add_congestion_route(const std::string& address,
                                            const std::string& congestion_control);

// The addresses with such a route, those of IPv4 first.
Result<std::vector<std::string>> congestion_routes(const std::string& congestion_control);

// Before the congestion control is unregistered: afterwards the kernel does not tell a route's any more. The addresses.
Result<std::vector<std::string>> remove_congestion_routes(const std::string& congestion_control);

}  // namespace sanscope
