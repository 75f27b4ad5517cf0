// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "captures/experiment/load_outcome.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace sanscope::lab;
    const std::array<std::string, 1> texts{std::string(reinterpret_cast<const char*>(data), size)};
    const std::string_view both = texts[0];
    const size_t between = std::min(both.find('\n'), both.size());
    for (const auto& outcome :
         {parse_generate_outcome(texts[0]), parse_iperf_outcomes(texts),
          parse_blast_outcome(both.substr(0, between), both.substr(between), Operation::read)}) {
        if (!outcome) continue;
        if (!(*outcome)[Measure::bytes_per_second]) std::abort();
        if (!std::isfinite(*(*outcome)[Measure::bytes_per_second])) std::abort();
    }
    return 0;
}
