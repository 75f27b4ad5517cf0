// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/points/clock_band.h"
#include "analyzer/points/point_capture.h"
#include "analyzer/points/way_result.h"

namespace sanscope {

// Captures of the same traffic at several points of its path, held against each other.

// A connection at two neighbouring points.
struct ConnectionAtPoints {
    Endpoint initiator;  // as a shows them
    Endpoint target;
    size_t connection_a = 0;  // indices into PointCapture::connections()
    size_t connection_b = 0;
    bool translated = false;
    bool turned = false;       // what a takes for its initiator is b's target, as where no SYN was captured
    bool order_known = false;  // which point its packets pass first; without, nothing is judged
    bool contrary = false;     // its initiator is on the side of b
    std::array<WayResult, 2> ways;  // by Way: `out` is from the initiator
    int64_t middle_ns = 0;          // of the connection at a, by its clock
    TimeBand offset;                // of b's clock against a's at that time
};

// Two neighbouring points.
struct PointPair {
    size_t a = 0;  // nearer to the initiators; indices into PathPoints::points
    size_t b = 0;
    bool order_known = false;  // from what packets pass first; else as they were given
    ClockEstimate clock;       // b's against a's
    uint64_t clock_samples = 0;
    std::vector<ConnectionAtPoints> connections;
    size_t only_a = 0;  // connections with data that the other one lacks
    size_t only_b = 0;
};

struct PathPoints {
    std::vector<std::unique_ptr<PointCapture>> points;  // from the initiators to the targets
    std::vector<PointPair> pairs;                       // of each point and the next one
};

constexpr size_t most_points = 8;

struct PathPointsOptions {
    const std::atomic<bool>* stop = nullptr;
    std::function<void()> progress;                            // now and then
    std::function<void(uint64_t done, uint64_t of)> compared;  // connections of two points, twice each
};

// An Error where two neighbouring points have no connection in common, or it was stopped. At least two captures, finished.
Result<PathPoints> follow_path(std::vector<std::unique_ptr<PointCapture>> captures,
                               const PathPointsOptions& options);

}  // namespace sanscope
