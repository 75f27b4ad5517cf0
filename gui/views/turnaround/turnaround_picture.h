// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <vector>

#include "gui/document/filter_result.h"
#include "gui/document/latest_job.h"
#include "gui/plot/step_series.h"
#include "gui/views/turnaround/command_index.h"

namespace sanscope {

// A command as a point: when it was requested, how long it took.
struct CommandDot {
    int64_t time_ns = 0;
    int64_t turnaround_ns = 0;
    uint64_t command = 0;  // 1-based
    CommandClass kind = CommandClass::other;
    bool failed = false;
    bool passes = true;
};

// Commands that nobody answered, which have no turnaround; those that would lie on each other together.
struct UnansweredMark {
    int64_t time_ns = 0;   // of the first request
    uint64_t command = 0;  // the first, 1-based
    uint32_t count = 0;
    CommandClass kind = CommandClass::other;  // of the first
    bool passes = true;                       // the filter lets one of them through
};

// How many commands there are in each cell of time by turnaround, by class.
struct DensityGrid {
    static constexpr int bins_per_decade = 40;
    using Counts = std::array<uint32_t, command_classes>;

    int64_t begin_ns = 0;
    int64_t cell_ns = 1;
    size_t columns = 0;
    int first_bin = 0;  // the lowest row holds turnarounds from 10^(first_bin / bins_per_decade) ns on
    size_t bins = 0;
    std::vector<Counts> cells;  // column by column, upwards
    uint32_t most = 0;          // in one cell

    const Counts& at(size_t column, size_t bin) const { return cells[column * bins + bin]; }
};

struct DepthMean {
    TimeRange range;
    double mean = 0;
};

struct TurnaroundPicture {
    PreparedRange prepared;
    bool near = false;  // every command is a dot
    std::vector<CommandDot>
        dots;  // in order of time; far: the slowest of every few pixels, and the slowest that failed
    std::vector<UnansweredMark> unanswered;  // in order of time
    DensityGrid grid;                        // far only
    StepSeries depth;                        // commands under way; far: least and most of each column
    std::vector<DepthMean> depth_means;      // over some pixels each, by time
    uint64_t commands = 0;                   // in the index at all
};

// Commands in a prepared range that are drawn one by one.
constexpr size_t most_dots = 4000;

// What becomes of commands that do not pass the filter.
enum class FilteredOut : uint8_t { faint, left_out };

// Any thread; looks at each command in the range: some nanoseconds.
TurnaroundPicture prepare_turnaround(const CommandIndex& index, const PreparedRange& prepared,
                                     const FilterResult* filter, FilteredOut filtered_out);

// The dot nearest to a point in pixels, not farther than `reach`; nullptr: none.
const CommandDot* dot_at(const TurnaroundPicture& picture, const TimeViewport& time, const ValueScale& scale,
                         double x, double y, double reach);

// The mark of unanswered commands nearest to a pixel, not farther than `reach`; nullptr: none.
const UnansweredMark* unanswered_at(const TurnaroundPicture& picture, const TimeViewport& time, double x,
                                    double reach);

// The slowest command (1-based; 0: none) requested in the range whose turnaround is in [low_ns, high_ns).
uint64_t command_within(const CommandIndex& index, TimeRange range, int64_t low_ns, int64_t high_ns);

}  // namespace sanscope
