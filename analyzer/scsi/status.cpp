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
        case scsi_status_good:
            return "GOOD";
        case scsi_status_check_condition:
            return "CHECK_CONDITION";
        case 0x04:
            return "CONDITION_MET";
        case 0x08:
            return "BUSY";
        case 0x10:
            return "INTERMEDIATE";
        case 0x14:
            return "INTERMEDIATE_CONDITION_MET";
        case 0x18:
            return "RESERVATION_CONFLICT";
        case 0x22:
            return "COMMAND_TERMINATED";
        case 0x28:
            return "TASK_SET_FULL";
        case 0x30:
            return "ACA_ACTIVE";
        case 0x40:
            return "TASK_ABORTED";
        default:
            return {codes_as_numbers[status].data(), codes_as_numbers[status].size()};
    }
}

}  // namespace sanscope
