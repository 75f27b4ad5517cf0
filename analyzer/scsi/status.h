// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

namespace sanscope {

// The SCSI status codes of SAM-5 §5.3.1 that the analyzer itself asks for.
constexpr uint8_t scsi_status_good = 0x00;
constexpr uint8_t scsi_status_check_condition = 0x02;

// The name of a SCSI status code as SAM has it, with underscores ("CHECK_CONDITION"); a code SAM does not
// define as a number ("0x41"). Static storage.
std::string_view scsi_status_name(uint8_t status);

}  // namespace sanscope
