// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace sanscope::lab {

// What is measured of a run. Turnaround is the initiator's, from the call that sends a command to its answer; of what
// packets show, the interface of the host that sends the data is where they were recorded.
enum class Measure : uint8_t {
    bytes_per_second,
    commands_per_second,
    turnaround_mean_ns,
    turnaround_sd_ns,
    turnaround_sd_percent,  // of the mean
    turnaround_p99_ns,
    retransmissions,               // segments that the sender of the data sent again
    retransmissions_per_gigabyte,  // of data that the load moved
    needless_retransmissions,      // of those, whose first transmission had arrived
    window_mean_bytes,  // the sum of the sender's congestion windows over its connections, averaged over time
    window_sd_bytes,    // its standard deviation over time
    window_sd_percent,  // of the mean
    window_difference_mean_bytes,  // between two connections, over time; of all pairs, the root mean square
    window_difference_sd_bytes,    // likewise
    to_half_ns,                    // until 50 % of the highest rate was reached, since the first command
    to_ninety_ns,                  // … 90 %
    bytes_to_half,                 // that had arrived by then
    bytes_to_ninety,
    // Of the program at this end, user and system, all threads: 100 is one processor all the time.
    initiator_processor_percent,
    target_processor_percent,
};
constexpr size_t measures = 20;

struct MeasureInfo {
    std::string_view name;     // of the column, which is in base units
    std::string_view heading;  // for people, with the unit of the scaled figure
    double scale;              // the figure for people is this many of the base units
    int decimals;              // that it is printed with
};

const MeasureInfo& measure_info(Measure measure);

// What was measured of one run; an unknown is empty.
struct Measurement {
    std::array<std::optional<double>, measures> values;

    std::optional<double>& operator[](Measure measure) { return values[static_cast<size_t>(measure)]; }
    const std::optional<double>& operator[](Measure measure) const {
        return values[static_cast<size_t>(measure)];
    }
};

}  // namespace sanscope::lab
