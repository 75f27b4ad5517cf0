// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace sanscope {

// The name of a logical unit that no other one in the world has, in hexadecimal, from its Device Identification page (SPC-4
// §7.8.6): NAA, EUI-64 or SCSI name string, with the designator's type before it. Empty where the page has none: what a vendor
// makes up by itself, and a locally assigned NAA, may be another unit's too. `page`: as captured, of any length.
std::string unit_name_of(std::span<const uint8_t> page);

}  // namespace sanscope
