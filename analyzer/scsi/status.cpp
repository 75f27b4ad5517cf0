// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/scsi/status.h"

#include <array>
#include <cstddef>

namespace sanscope {
namespace {

constexpr auto codes_as_numbers = [] {
    constexpr std::string_view digits = "0123456789abcdef";
    std::array<std::array<char, 4>, 256> texts{};
    for (size_t code = 0; code < 256; code++) texts[code] = {'0', 'x', digits[code >> 4], digits[code & 15]};
    return texts;
}();

}  // namespace

std::string_view scsi_status_name(uint8_t status) {
    switch (status) {
        case scsi_status::good:
            return "GOOD";
        case scsi_status::check_condition:
            return "CHECK_CONDITION";
        case scsi_status::condition_met:
            return "CONDITION_MET";
        case scsi_status::busy:
            return "BUSY";
        case scsi_status::intermediate:
            return "INTERMEDIATE";
        case scsi_status::intermediate_condition_met:
            return "INTERMEDIATE_CONDITION_MET";
        case scsi_status::reservation_conflict:
            return "RESERVATION_CONFLICT";
        case scsi_status::command_terminated:
            return "COMMAND_TERMINATED";
        case scsi_status::task_set_full:
            return "TASK_SET_FULL";
        case scsi_status::aca_active:
            return "ACA_ACTIVE";
        case scsi_status::task_aborted:
            return "TASK_ABORTED";
        default:
            return {codes_as_numbers[status].data(), codes_as_numbers[status].size()};
    }
}

}  // namespace sanscope
