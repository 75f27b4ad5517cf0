// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace sanscope {

// Asymmetric access states of a target port group (ALUA) by their codes in REPORT TARGET PORT GROUPS (SPC-4 §6.37); those that
// the standard reserves are `unknown`.
enum class AccessState : uint8_t {
    active_optimized = 0x0,
    active_non_optimized = 0x1,
    standby = 0x2,
    unavailable = 0x3,
    lba_dependent = 0x4,
    offline = 0xe,
    transitioning = 0xf,
    unknown = 0xff,
};

// A target port group of a logical unit, as the target told of it.
struct TargetPortGroup {
    uint16_t number = 0;
    AccessState state = AccessState::unknown;
    bool preferred = false;       // the PREF bit
    std::vector<uint16_t> ports;  // relative target port identifiers
};

// The target port that a logical unit was asked through; empty where it did not tell.
struct TargetPort {
    std::optional<uint16_t> relative;  // relative target port identifier
    std::optional<uint16_t> group;     // number of its target port group
};

}  // namespace sanscope
