// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace sanscope {

// What IANA assigned to iSCSI targets (RFC 7143 §15), and its system port: a hint as to who is the target until PDUs tell.
constexpr uint16_t iscsi_port = 3260;
constexpr uint16_t iscsi_system_port = 860;

constexpr bool is_iscsi_port(uint16_t port) {
    return port == iscsi_port || port == iscsi_system_port;
}

}  // namespace sanscope
