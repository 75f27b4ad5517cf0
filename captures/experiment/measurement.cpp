// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/measurement.h"

namespace sanscope::lab {
namespace {

constexpr std::array<MeasureInfo, measures> infos{{
    {"bytes_per_second", "throughput, MB/s", 1e6, 2},
    {"commands_per_second", "commands a second", 1, 1},
    {"turnaround_mean_ns", "mean turnaround, ms", 1e6, 3},
    {"turnaround_sd_ns", "SD of turnaround, ms", 1e6, 3},
    {"turnaround_sd_percent", "SD of turnaround, % of its mean", 1, 1},
    {"turnaround_p99_ns", "99th percentile of turnaround, ms", 1e6, 3},
    {"retransmissions", "retransmissions", 1, 0},
    {"retransmissions_per_gigabyte", "retransmissions a GB", 1, 0},
    {"needless_retransmissions", "needless retransmissions", 1, 0},
    {"window_mean_bytes", "mean aggregate window, KiB", 1024, 1},
    {"window_sd_bytes", "SD of the aggregate window, KiB", 1024, 1},
    {"window_sd_percent", "SD of the aggregate window, % of its mean", 1, 1},
    {"window_difference_mean_bytes", "mean difference of windows, KiB", 1024, 1},
    {"window_difference_sd_bytes", "SD of the difference of windows, KiB", 1024, 1},
    {"to_half_ns", "time to 50 % of the highest rate, s", 1e9, 2},
    {"to_ninety_ns", "time to 90 % of the highest rate, s", 1e9, 2},
    {"bytes_to_half", "data to 50 % of the highest rate, MB", 1e6, 2},
    {"bytes_to_ninety", "data to 90 % of the highest rate, MB", 1e6, 2},
    {"initiator_processor_percent", "processor of the initiator, %", 1, 1},
    {"target_processor_percent", "processor of the target, %", 1, 1},
}};

}  // namespace

const MeasureInfo& measure_info(Measure measure) {
    return infos[static_cast<size_t>(measure)];
}

}  // namespace sanscope::lab
