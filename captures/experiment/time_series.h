// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "captures/experiment/measurement.h"

namespace sanscope::lab {

// A connection's window from a moment on, bytes.
struct WindowChange {
    int64_t time_ns;
    uint32_t connection;
    double bytes;
};

// Data that was complete at a moment.
struct DataArrival {
    int64_t time_ns;
    uint64_t bytes;
};

struct Rise {
    int64_t time_ns;  // since the start
    uint64_t bytes;   // until then
};

// When the rate first reached a share of the highest one, taken in steps of `step_ns` from `start_ns`: the end of that
// step. The highest is that of `steps_of_highest` steps together, so that no single one that happened to be fast sets
// it. Nothing where nothing arrived. Arrivals may be in any order; those before the start do not count.
std::optional<Rise> rise_to(double share, const std::vector<DataArrival>& arrivals, int64_t start_ns,
                            int64_t step_ns, int64_t steps_of_highest);

// Time and data to 50 % and to 90 % of the highest rate, in steps of 100 ms of which ten together are the highest.
void add_rise(const std::vector<DataArrival>& arrivals, int64_t start_ns, Measurement& measured);

}  // namespace sanscope::lab
