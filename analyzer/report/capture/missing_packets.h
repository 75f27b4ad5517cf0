// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// So many places where a side's segments were acknowledged and are not in the capture (LossKind::not_captured) that much else of
// what it sent may be missing.
inline bool much_is_missing(const ConnectionRow& connection, Role side, uint64_t not_captured) {
    constexpr uint64_t one_in = 20;
    const uint64_t seen = side == Role::initiator ? connection.packets_out : connection.packets_in;
    return not_captured > 0 && one_in * not_captured >= seen;
}

}  // namespace sanscope
