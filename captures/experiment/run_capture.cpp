// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/run_capture.h"

#include <cstdint>
#include <fmt/format.h>
#include <string_view>

namespace sanscope::lab {
namespace {

// FNV-1a, which is the same everywhere and for ever.
uint64_t number_for(std::string_view text) {
    constexpr uint64_t offset_basis = 0xcbf29ce484222325;
    constexpr uint64_t prime = 0x100000001b3;
    uint64_t number = offset_basis;
    for (const char c : text) {
        number ^= static_cast<unsigned char>(c);
        number *= prime;
    }
    return number;
}

}  // namespace

std::string capture_name(const PlannedRun& run, double seconds) {
    constexpr size_t most_words = 180;  // a file's name has 255 bytes at most
    const RunSettings usual;
    std::string words;
    for (const SettingColumn& column : setting_columns()) {
        const std::string value = column.text(run.settings);
        const bool meaningless = !column.means_something_to(run.settings.load);
        if (!meaningless && value != column.text(usual)) words += fmt::format("{}={},", column.name, value);
    }
    if (words.size() > most_words) words.resize(most_words);
    return fmt::format(
        "{}repetition={}-{:016x}.pcapng", words, run.repetition,
        number_for(fmt::format("{}#{}#{}", settings_text(run.settings), run.repetition, seconds)));
}

}  // namespace sanscope::lab
