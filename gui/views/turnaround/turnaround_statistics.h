// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <vector>

#include "gui/document/filter_result.h"
#include "gui/document/latest_job.h"
#include "gui/document/time_range.h"
#include "gui/views/turnaround/command_index.h"

#include "analyzer/base/log_histogram.h"

namespace sanscope {

// By opcode: what has service actions (SPC-4 §4.2.5) is a group for each name.
enum class GroupBy : uint8_t { opcode, size, lun, session };

// Turnarounds of the commands requested in a stretch of time that pass the filter.
struct TurnaroundStatistics {
    static constexpr int bins_per_decade = 20;

    struct Group {
        uint64_t key = 0;       // opcode; n for sizes of 2^(n-1) < bytes <= 2^n; LUN; session number
        const char* name = "";  // of its commands, where grouped by opcode; static storage
        uint64_t count = 0;
        uint64_t untimed = 0;  // of these, answered nobody knows when, or perhaps not
        uint64_t bytes = 0;    // of commands that completed
        // From the first request to the last answer: what its throughput is over, as in the report.
        int64_t begin_ns = no_time;
        int64_t end_ns = no_time;
        LogHistogram turnaround;

        int64_t span_ns() const { return begin_ns == no_time || end_ns <= begin_ns ? 0 : end_ns - begin_ns; }
        double bytes_per_second() const {
            return span_ns() == 0 ? 0 : static_cast<double>(bytes) * 1e9 / static_cast<double>(span_ns());
        }
    };

    TimeRange range;
    GroupBy by = GroupBy::opcode;
    std::vector<Group> groups;  // the largest first
    Group all;
    // By decimal logarithm of nanoseconds: bin b of class c counts turnarounds in 10^((first_bin + b) / bins_per_decade)
    // and on.
    int first_bin = 0;
    std::vector<std::array<uint64_t, command_classes>> histogram;
    bool complete = true;  // false: stopped, nothing holds
};

// Groups distinguished at most; what is of none of the first ones counts in `all` alone.
constexpr size_t most_command_groups = 512;

// Visits the row of each command in the range. Any thread.
TurnaroundStatistics turnaround_statistics(const CaptureData::Reading& reading, const CommandIndex& index,
                                           TimeRange range, GroupBy by, const FilterResult* filter,
                                           const StopFlag& stop);

}  // namespace sanscope
