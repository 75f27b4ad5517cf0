// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <vector>

#include "captures/iscsi_peer/initiator/send_targets.h"
#include "captures/iscsi_peer/initiator/tcp_socket.h"
#include "captures/iscsi_peer/login/login_exchange.h"

#include "analyzer/base/result.h"

namespace sanscope {

// The targets that a portal reports, in a discovery session of its own. `offer` without a target's name.
Result<std::vector<DiscoveredTarget>> discover(const std::vector<SocketAddress>& addresses,
                                               const TcpSettings& tcp, const LoginOffer& offer,
                                               std::chrono::milliseconds patience);

}  // namespace sanscope
