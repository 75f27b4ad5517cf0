// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "gui/document/latest_job.h"
#include "gui/document/time_range.h"
#include "gui/views/io_graph/block_sums.h"
#include "gui/views/io_graph/graph_line.h"

#include "analyzer/tables/table.h"

namespace sanscope {

// Time in intervals of one length, side by side.
struct GraphIntervals {
    int64_t begin_ns = 0;
    int64_t length_ns = 1;
    size_t count = 0;

    TimeRange range() const { return {begin_ns, begin_ns + static_cast<int64_t>(count) * length_ns}; }
    TimeRange interval(size_t index) const {
        const int64_t begin = begin_ns + static_cast<int64_t>(index) * length_ns;
        return {begin, begin + length_ns};
    }
    // `count` where there is none.
    size_t at(int64_t time_ns) const {
        return range().contains(time_ns) ? static_cast<size_t>((time_ns - begin_ns) / length_ns) : count;
    }
    bool operator==(const GraphIntervals&) const = default;
};

// Intervals a picture has at most, fewer where each may take memory for percentiles.
constexpr size_t most_graph_intervals = 4096;
size_t most_intervals(std::span<const GraphLine> lines);

// Of a line, or of one of those it is split into.
struct GraphSeries {
    enum class Of : uint8_t {
        all,     // not split
        key,     // rows whose split column has that value
        no_key,  // rows of which it is not known
        others,  // those of no series of their own
    };
    struct Point {
        double value = 0;   // NaN: not known
        uint64_t rows = 0;  // behind it
        bool exact = true;  // else within 0.8 %
        bool firm = true;   // a percentile of as many rows as it needs
    };

    size_t line = 0;  // in the list that was given
    Of of = Of::all;
    uint64_t key = 0;
    std::vector<Point> points;  // one an interval
};
// A line is split into at most so many, and the others; of so many values at most is looked for those.
constexpr size_t most_split_series = 8;
constexpr size_t most_split_keys = 512;

// Rows of tables, some thousand at a time.
class GraphRows {
  public:
    // Rows [first, last) of a table that stands still meanwhile.
    struct Block {
        const Table& table;
        size_t first;
        size_t last;
        // Its number, where it is one of equal ones and nothing in it changes any more; nothing: it is read each time.
        std::optional<size_t> settled;
        std::function<bool(size_t row)> passes;               // the filter of all views; empty: all do
        std::function<int64_t(uint64_t packet)> packet_time;  // no_time for what is none
    };
    using Visit = std::function<void(const Block& block)>;
    struct Wanted {
        std::string_view table;
        std::vector<std::string_view> times;  // as GraphLine::time
        TimeRange range;
    };

    virtual ~GraphRows() = default;
    virtual std::span<const ColumnInfo> columns(std::string_view table) const = 0;
    // All rows that are in the range by any of the times, and perhaps others, in blocks, until stopped.
    virtual void walk(const Wanted& wanted, const StopFlag& stop, const Visit& visit) const = 0;
};

// Of each line that is on and has no problem its series: visits the rows of each table once, and once more before that where a
// line is split, to find the `most_split_series` of the greatest values over all intervals together. Rows without a value do not
// count. Series of a line are in the order of their keys, the others last. Stopped, nothing holds. `sums`: of lines that are not
// split, settled blocks are read once for all pictures of the same; nullptr: they are read each time.
std::vector<GraphSeries> graph_series(const GraphRows& rows, std::span<const GraphLine> lines,
                                      const GraphIntervals& intervals, const StopFlag& stop,
                                      BlockSums* sums = nullptr);

}  // namespace sanscope
