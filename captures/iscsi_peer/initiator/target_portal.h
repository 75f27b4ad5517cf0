// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/base/result.h"
#include "analyzer/vocabulary/iscsi_port.h"

namespace sanscope {

// Where a target can be reached.
struct TargetPortal {
    std::string host;  // a name or an address; of an IPv6 address without brackets, perhaps with "%ZONE"
    uint16_t port = iscsi_port;
    std::optional<uint16_t> group;  // the portal group tag

    bool operator==(const TargetPortal&) const = default;
};

// The value of a TargetAddress: "HOST[:PORT][,GROUP]", an IPv6 address in brackets (RFC 7143 §13.8).
Result<TargetPortal> read_target_portal(std::string_view text);
// As it is read, with the port always.
std::string target_portal_text(const TargetPortal& portal);

}  // namespace sanscope
