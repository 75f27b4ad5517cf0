// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/points/clock_band.h"
#include "analyzer/points/copy_matching.h"
#include "analyzer/points/point_capture.h"

namespace sanscope {

// What became of bytes that one of two points saw and the other did not, or that were sent again.
enum class CopyVerdict : uint8_t {
    lost_between,  // the nearer point to the sender saw them, the farther one did not, nor did the receiver
    lost_beyond,   // both saw them, the receiver did not get them
    not_captured_before,  // only the point farther from the sender saw them: the nearer one's capture lacks them
    not_captured_behind,  // the receiver got them: the farther point's capture lacks them
    unclear,              // one of these, and nothing tells which
};
constexpr size_t copy_verdicts = 5;

// A range of bytes of one copy.
struct CopyFate {
    uint64_t packet = 0;  // of the copy, at the point nearest to the sender that saw it
    int64_t time_ns = 0;  // by that point's clock
    uint32_t seq = 0;
    uint32_t length = 0;
    CopyVerdict verdict = CopyVerdict::unclear;
    bool at_b = false;  // `packet` is of the point nearer to the target
};

struct DelayFigures {
    uint64_t samples = 0;
    // Unbounded, all of them, where the clocks are not known.
    TimeBand least;
    TimeBand p50;
    TimeBand p99;
    TimeBand most;
    // p50 less least, and p99 less least: time in queues, on which only the skew weighs.
    TimeBand p50_in_queues;
    TimeBand p99_in_queues;
};

// One direction of a connection between two points.
struct WayResult {
    uint64_t segments_before = 0;  // with payload, at the point nearer to the sender
    uint64_t segments_behind = 0;
    uint64_t bytes_before = 0;
    uint64_t bytes_behind = 0;
    uint64_t bytes_shared = 0;
    std::array<uint64_t, copy_verdicts> ranges{};  // by CopyVerdict
    std::array<uint64_t, copy_verdicts> bytes{};
    uint64_t reordered = 0;  // segments that arrived at the farther point after ones that were sent later
    DelayFigures delay;
    std::vector<CopyFate> fates;  // in the order of packets at each point

    uint64_t count(CopyVerdict verdict) const { return ranges[static_cast<size_t>(verdict)]; }
};

// A connection seen at two points.
struct ConnectionPlaces {
    const PointCapture& a;
    const PointCapture& b;
    size_t connection_a = 0;
    size_t connection_b = 0;
    // Here `out` is from a to b. What it is at each of them is the other direction where that is turned.
    bool turned_a = false;
    bool turned_b = false;

    Way at_a(Way way) const { return turned_a ? other_way(way) : way; }
    Way at_b(Way way) const { return turned_b ? other_way(way) : way; }
};

// Both directions, `out` the one that passes a first; `matches` likewise. Copies outside of the stretch that both captures have
// are not judged.
std::array<WayResult, 2> judge_ways(const ConnectionPlaces& places, const std::array<StreamMatch, 2>& matches,
                                    const ClockEstimate& clock);

}  // namespace sanscope
