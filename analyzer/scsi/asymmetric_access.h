// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analyzer/scsi/sense.h"
#include "analyzer/vocabulary/access_state.h"

namespace sanscope {

// Asymmetric logical unit access (ALUA): which target ports serve a logical unit best. All take data as captured, of any
// length, and are empty where they were cut or do not hold together: half a list tells nothing of who is missing from it.

// The TPGS field of standard INQUIRY data (SPC-4 §6.6.2): 0 where all ports serve alike, 1 implicit, 2 explicit, 3 both.
std::optional<uint8_t> tpgs_of(std::span<const uint8_t> inquiry_data);

// Parameter data of REPORT TARGET PORT GROUPS (SPC-4 §6.37), with the length only header or the extended one. No group is told
// twice.
std::optional<std::vector<TargetPortGroup>> target_port_groups_of(std::span<const uint8_t> parameter_data);

// What sense data tell of the target port that they came through: a state in which it does not serve, `unknown` where a state
// has changed and they do not say to which; empty where they tell nothing of it.
std::optional<AccessState> access_state_told_by(const SenseData& sense);

// As SPC-4 prints it, "active/non-optimized"; "not known". Static storage.
std::string_view access_state_name(AccessState state);

}  // namespace sanscope
