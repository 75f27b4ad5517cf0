// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

namespace sanscope {

// The SCSI status codes of SAM-5 §5.3.1, and those that SAM-2 and SAM-3 had and SAM-5 calls obsolete.
namespace scsi_status {
constexpr uint8_t good = 0x00;
constexpr uint8_t check_condition = 0x02;
constexpr uint8_t condition_met = 0x04;
constexpr uint8_t busy = 0x08;
constexpr uint8_t intermediate = 0x10;                // obsolete
constexpr uint8_t intermediate_condition_met = 0x14;  // obsolete
constexpr uint8_t reservation_conflict = 0x18;
constexpr uint8_t command_terminated = 0x22;  // obsolete
constexpr uint8_t task_set_full = 0x28;
constexpr uint8_t aca_active = 0x30;
constexpr uint8_t task_aborted = 0x40;
}  // namespace scsi_status

constexpr bool is_scsi_status(uint8_t status) {
    switch (status) {
        case scsi_status::good:
        case scsi_status::check_condition:
        case scsi_status::condition_met:
        case scsi_status::busy:
        case scsi_status::intermediate:
        case scsi_status::intermediate_condition_met:
        case scsi_status::reservation_conflict:
        case scsi_status::command_terminated:
        case scsi_status::task_set_full:
        case scsi_status::aca_active:
        case scsi_status::task_aborted:
            return true;
        default:
            return false;
    }
}

// The name of a SCSI status code as SAM has it, with underscores ("CHECK_CONDITION"); a code SAM does not
// define as a number ("0x41"). Static storage.
std::string_view scsi_status_name(uint8_t status);

}  // namespace sanscope
