// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

namespace sanscope {

// The two ends of a TCP connection, as a capture has them: `a` sent the first packet captured of it. Which of them is the
// initiator shows later, if at all: ConnectionRow::role_of().
enum class Side : uint8_t { a, b };

constexpr Side other_side(Side side) {
    return side == Side::a ? Side::b : Side::a;
}
constexpr size_t index_of(Side side) {
    return static_cast<size_t>(side);
}

// The two parties of an iSCSI session (RFC 7143 §2.2).
enum class Role : uint8_t { initiator, target };

constexpr Role other_role(Role role) {
    return role == Role::initiator ? Role::target : Role::initiator;
}
constexpr size_t index_of(Role role) {
    return static_cast<size_t>(role);
}

}  // namespace sanscope
