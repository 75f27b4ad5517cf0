// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/commands/ending_words.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <string_view>
#include <utility>

#include "analyzer/scsi/sense.h"
#include "analyzer/scsi/status.h"

namespace sanscope {
namespace {

constexpr std::array<std::pair<uint8_t, std::string_view>, 3> sense_bit_names = {
    {{sense_bit::filemark, "FILEMARK"},
     {sense_bit::end_of_medium, "EOM"},
     {sense_bit::incorrect_length, "ILI"}}};

}  // namespace

std::string ending_words(const CommandEnding& ending) {
    std::string text;
    if (ending.lacks_status()) {
        text = iscsi_response_words(ending.iscsi_response);
    } else if (ending.status == unknown<uint16_t>) {
        text = "no status";
    } else {
        text = scsi_status_name(static_cast<uint8_t>(ending.status));
        std::ranges::replace(text, '_', ' ');
    }
    if (ending.sense_key != unknown<uint16_t>) {
        text +=
            fmt::format(", {}{}", ending.sense_deferred ? "deferred " : "", sense_key_name(ending.sense_key));
    }
    for (const auto& [bit, name] : sense_bit_names) {
        if ((ending.sense_bits & bit) != 0) text += fmt::format(", {}", name);
    }
    if (ending.asc == unknown<uint16_t> || ending.ascq == unknown<uint16_t>) return text;
    const std::string_view words = additional_sense_text(ending.asc, ending.ascq);
    return text +
           fmt::format(": {}{}({:02x}/{:02x})", words, words.empty() ? "" : " ", ending.asc, ending.ascq);
}

std::string_view unseen_ending_words(CaptureClocks clocks) {
    switch (clocks) {
        case CaptureClocks::in_order:
            break;
        case CaptureClocks::set_back:
            return "while the capture's clock was set back, or in headers it lacks";
        case CaptureClocks::apart:
            return "sooner than the clocks of the two directions can tell, or in headers the capture lacks";
        case CaptureClocks::coarse:
            return "sooner than the steps of the capture's clock can tell, or in headers it lacks";
    }
    return "in headers the capture lacks";
}

}  // namespace sanscope
