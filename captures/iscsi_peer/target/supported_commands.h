// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace sanscope {

// What REPORT SUPPORTED OPERATION CODES gives (SPC-4 §6.35) of the commands that ScsiDevice knows. Returns
// Sense::no_field, or the byte of the CDB that is wrong.
uint16_t write_supported_commands(const uint8_t* cdb, std::vector<uint8_t>& bytes);

}  // namespace sanscope
