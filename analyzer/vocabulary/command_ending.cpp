// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/vocabulary/command_ending.h"

#include <array>

namespace sanscope {

std::string iscsi_response_words(uint16_t response) {
    constexpr uint16_t completed_at_target = 0x00;
    constexpr uint16_t target_failure = 0x01;
    constexpr uint16_t first_of_vendors = 0x80;
    constexpr std::array<char, 17> digits = {"0123456789abcdef"};
    std::string text = response == completed_at_target ? "command completed at target"
                       : response == target_failure    ? "target failure"
                       : response >= first_of_vendors  ? "vendor-specific response"
                                                       : "reserved response";
    text += " (iSCSI response 0x";
    text += digits[response >> 4 & 0xf];
    text += digits[response & 0xf];
    return text + ")";
}

}  // namespace sanscope
