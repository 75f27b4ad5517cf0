// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "gui/document/capture_data.h"
#include "gui/document/filter_result.h"
#include "gui/plot/time_viewport.h"
#include "gui/views/io_graph/block_times.h"
#include "gui/views/io_graph/graph_series.h"

namespace sanscope {

constexpr size_t most_graph_units = 2;  // each has an axis of its own

// What is to be drawn.
struct GraphQuestion {
    PreparedRange prepared;
    TimeRange whole;        // there is nothing beyond; intervals are counted from its beginning
    int64_t length_ns = 1;  // of an interval: interval_length()
    std::vector<GraphLine> lines;
    std::shared_ptr<const FilterResult> filter;  // of all views
};

// And how.
struct GraphPicture {
    PreparedRange prepared;
    TimeRange whole;
    GraphIntervals intervals;
    std::vector<GraphLine> lines;
    std::vector<GraphSeries> series;

    const GraphLine& line_of(const GraphSeries& one) const { return lines[one.line]; }
};

// How long intervals are where `sight` is looked at: as long as was wanted, or (0) so that each is some pixels wide; longer,
// and a round length, where there would be more than `most` otherwise.
int64_t interval_length(const TimeViewport& sight, int64_t wanted_ns, size_t most);
// The intervals of that length that cover what is both prepared and there.
GraphIntervals intervals_in(const GraphQuestion& question);

// Units of the lines that can be drawn, in their order; and of each line why it is not drawn though it is on: what is wrong with
// it, or that its unit is one too many.
struct GraphPlan {
    std::array<std::optional<GraphUnit>, most_graph_units> units;
    std::vector<QString> problems;  // one a line, empty where it is drawn or off
};
GraphPlan plan_of(const std::vector<GraphLine>& lines);

// Any thread. `times` is the capture's, and lets rows be skipped that are elsewhere; `sums` are those of the pictures before.
GraphPicture prepare_graph(const CaptureData& data, BlockTimes& times, BlockSums& sums,
                           const GraphQuestion& question, const StopFlag& stop);

}  // namespace sanscope
