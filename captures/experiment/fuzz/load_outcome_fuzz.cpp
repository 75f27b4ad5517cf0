// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "captures/experiment/load_outcome.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace sanscope::lab;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const auto& outcome : {parse_generate_outcome(text), parse_iperf_outcome(text)}) {
        if (!outcome) continue;
        if (!(*outcome)[Measure::bytes_per_second]) std::abort();
        if (!std::isfinite(*(*outcome)[Measure::bytes_per_second])) std::abort();
    }
    return 0;
}
