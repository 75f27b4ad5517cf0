// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace sanscope {

// A 32-bit serial number that wraps (RFC 1982): TCP sequence numbers, iSCSI CmdSN, StatSN and DataSN.
// There is no operator<, since "less" between serial numbers is not transitive; say before() or distance().
struct Serial32 {
    uint32_t value = 0;

    constexpr Serial32() = default;
    constexpr explicit Serial32(uint32_t v) : value(v) {}

    constexpr bool operator==(const Serial32&) const = default;
    constexpr Serial32 operator+(uint32_t n) const { return Serial32(value + n); }
    constexpr Serial32& operator+=(uint32_t n) {
        value += n;
        return *this;
    }

    // How far `other` lies ahead of this one: positive if ahead, negative if behind.
    constexpr int32_t distance_to(Serial32 other) const { return static_cast<int32_t>(other.value - value); }
    constexpr bool before(Serial32 other) const { return distance_to(other) > 0; }
    constexpr bool after(Serial32 other) const { return distance_to(other) < 0; }
};

}  // namespace sanscope
