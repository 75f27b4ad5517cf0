// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/base/result.h"

namespace sanscope {

// Routes to single addresses, by which every new connection to or from one has a congestion control (`congctl` of ip-route(8),
// RTAX_CC_ALGO): of this process's network namespace, and told from those of others by their protocol. They need
// CAP_NET_ADMIN.
constexpr unsigned char congestion_route_protocol = 90;

enum class Selected : uint8_t { now, before };

// An address without brackets. The packets go the way they went: the route is a copy of the one by which they do, of its table,
// with all its next hops and metrics, to that address alone and with the congestion control; then the kernel is asked whether
// it takes effect. An Error where there is no route, where the address is this host's own, or has a route of its own already,
// also with another congestion control; nothing is changed then.
Result<Selected> add_congestion_route(const std::string& address, const std::string& congestion_control);

// The addresses with such a route, those of IPv4 first.
Result<std::vector<std::string>> congestion_routes(const std::string& congestion_control);

// All of that congestion control, and those of one that is not registered any more, which the kernel does not name: they had no
// effect. The addresses.
Result<std::vector<std::string>> remove_congestion_routes(const std::string& congestion_control);
// That to one address.
Result<std::vector<std::string>> remove_congestion_route(const std::string& address,
                                                         const std::string& congestion_control);

}  // namespace sanscope
