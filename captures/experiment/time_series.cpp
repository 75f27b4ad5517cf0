// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/time_series.h"

#include <algorithm>
#include <map>

namespace sanscope::lab {

std::optional<Rise> rise_to(double share, const std::vector<DataArrival>& arrivals, int64_t start_ns,
                            int64_t step_ns, int64_t steps_of_highest) {
    std::map<int64_t, uint64_t> steps;
    for (const DataArrival& arrival : arrivals) {
        if (arrival.time_ns >= start_ns) steps[(arrival.time_ns - start_ns) / step_ns] += arrival.bytes;
    }
    uint64_t together = 0;
    uint64_t most = 0;
    auto first = steps.begin();
    for (const auto& [step, bytes] : steps) {
        together += bytes;
        for (; first->first + steps_of_highest <= step; ++first) together -= first->second;
        most = std::max(most, together);
    }
    if (most == 0) return std::nullopt;
    const double highest = static_cast<double>(most) / static_cast<double>(steps_of_highest);
    uint64_t so_far = 0;
    for (const auto& [step, bytes] : steps) {
        so_far += bytes;
        if (static_cast<double>(bytes) >= share * highest) return Rise{(step + 1) * step_ns, so_far};
    }
    return std::nullopt;
}

void add_rise(const std::vector<DataArrival>& arrivals, int64_t start_ns, Measurement& measured) {
    constexpr int64_t step_ns = 100'000'000;
    constexpr int64_t steps_of_highest = 10;
    if (const auto half = rise_to(0.5, arrivals, start_ns, step_ns, steps_of_highest)) {
        measured[Measure::to_half_ns] = static_cast<double>(half->time_ns);
        measured[Measure::bytes_to_half] = static_cast<double>(half->bytes);
    }
    if (const auto ninety = rise_to(0.9, arrivals, start_ns, step_ns, steps_of_highest)) {
        measured[Measure::to_ninety_ns] = static_cast<double>(ninety->time_ns);
        measured[Measure::bytes_to_ninety] = static_cast<double>(ninety->bytes);
    }
}

}  // namespace sanscope::lab
