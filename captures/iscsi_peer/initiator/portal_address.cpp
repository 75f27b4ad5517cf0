// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/iscsi_peer/initiator/portal_address.h"

#include <fmt/core.h>

#include "captures/iscsi_peer/initiator/target_portal.h"

namespace sanscope {

Result<std::vector<SocketAddress>> resolve_portal(std::string_view target_address) {
    const auto portal = read_target_portal(target_address);
    if (!portal)
        return Error{fmt::format("the target names an address that is none: {}", portal.error().message)};
    return resolve(portal->host, portal->port);
}

}  // namespace sanscope
