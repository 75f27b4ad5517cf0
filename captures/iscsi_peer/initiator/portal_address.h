// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>
#include <vector>

#include "captures/iscsi_peer/initiator/tcp_socket.h"

#include "analyzer/base/result.h"

namespace sanscope {

// The addresses behind a TargetAddress (RFC 7143 §13.8).
Result<std::vector<SocketAddress>> resolve_portal(std::string_view target_address);

}  // namespace sanscope
