// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/time_series.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace sanscope::lab {

std::optional<MeanAndDeviation> aggregate_window(std::vector<WindowChange> changes, int64_t from_ns) {
    std::ranges::stable_sort(changes, {}, &WindowChange::time_ns);
    std::map<uint32_t, double> windows;
    double sum = 0;
    // Welford's way, weighted: it does not lose digits where the deviation is small beside the mean.
    double time = 0;
    double mean = 0;
    double squares = 0;
    for (size_t i = 0; i < changes.size(); ++i) {
        double& window = windows[changes[i].connection];
        sum += changes[i].bytes - window;
        window = changes[i].bytes;
        if (i + 1 == changes.size()) break;
        const auto lasts =
            static_cast<double>(changes[i + 1].time_ns - std::max(changes[i].time_ns, from_ns));
        if (lasts <= 0) continue;
        time += lasts;
        const double off = sum - mean;
        mean += off * lasts / time;
        squares += lasts * off * (sum - mean);
    }
    if (time <= 0) return std::nullopt;
    return MeanAndDeviation{mean, std::sqrt(std::max(squares / time, 0.0))};
}

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

}  // namespace sanscope::lab
