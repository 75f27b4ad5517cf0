// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "analyzer/vocabulary/access_state.h"

namespace sanscope {

// The name of a logical unit that no other one in the world has, in hexadecimal, from its Device Identification page (SPC-4
// §7.8.6): NAA, EUI-64 or SCSI name string, with the designator's type before it. Empty where the page has none: what a vendor
// makes up by itself, and a locally assigned NAA, may be another unit's too. `page`: as captured, of any length.
std::string unit_name_of(std::span<const uint8_t> page);

// The target port that it was asked through, from the same page: its designators of types 4h (relative target port identifier)
// and 5h (target port group). Empty where the page is not there as a whole, or contradicts itself.
std::optional<TargetPort> target_port_of(std::span<const uint8_t> page);

}  // namespace sanscope
