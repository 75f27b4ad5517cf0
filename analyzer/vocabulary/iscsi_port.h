// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace sanscope {

// What IANA assigned to iSCSI targets (RFC 7143 §15): a hint as to who is the target until PDUs tell.
constexpr uint16_t iscsi_port = 3260;

}  // namespace sanscope
