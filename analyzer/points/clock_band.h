// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// Two captures' clocks, from packets that both saw. Nothing is known but that no packet arrives before it was sent: of a packet that
// passes point A first, the time at B less that at A is no less than the offset of B's clock; of one that passes B first, no more. A
// clock that runs evenly is a line between the two clouds of points, and all lines that fit make up the band (Paxson 1998;
// Moon, Skelly, Towsley 1999; Zhang, Liu, Xia 2002). That the two ways be equally long is not assumed.

// A packet seen at both points.
struct ClockSample {
    uint64_t packet = 0;        // at A, in the capture's order
    int64_t time_ns = 0;        // at A
    int64_t difference_ns = 0;  // time at B less time at A
    bool from_a = false;        // it passed A first
};

// Both ends are possible values. An end that nothing bounds is `no_time`.
struct TimeBand {
    int64_t low_ns = no_time;
    int64_t high_ns = no_time;
    bool bounded() const { return low_ns != no_time && high_ns != no_time; }
    int64_t width_ns() const { return high_ns - low_ns; }
    int64_t middle_ns() const { return low_ns + (high_ns - low_ns) / 2; }
    bool operator==(const TimeBand&) const = default;
};

struct SkewBand {
    double low_ppm = 0;
    double high_ppm = 0;
    bool known = false;  // false where lines of any plausible skew fit
};

// A stretch of A's capture in which B's clock ran evenly against A's.
class ClockStretch {
  public:
    struct Line {
        double offset_ns = 0;  // at `middle`, beyond `reference`
        double skew = 0;       // nanoseconds a second
    };

    uint64_t first_packet = 0;  // at A
    uint64_t last_packet = 0;
    int64_t first_ns = 0;  // at A
    int64_t last_ns = 0;
    // By how much all forward and all backward samples can be apart at best: the least time there and back.
    int64_t least_round_trip_ns = 0;

    // The offset of B's clock against A's when A's clock shows `at_ns`.
    TimeBand offset(int64_t at_ns) const;
    SkewBand skew() const;
    // The extreme lines that fit: each within the band, and the band within them.
    std::span<const Line> lines() const { return lines_; }
    // Of one of them, at a time.
    double offset_of(const Line& line, int64_t at_ns) const;

    // For estimate_clock().
    int64_t middle_ns = 0;
    int64_t reference_ns = 0;
    bool has_low = false;
    bool has_high = false;
    std::vector<Line> lines_;
};

// No line fits both what was before and what came after; or, where it is not `certain`, one does only if both ways became
// faster together.
struct ClockStep {
    uint64_t after_packet = 0;  // at A: it happened behind this packet and before that
    uint64_t before_packet = 0;
    int64_t from_ns = 0;  // the same by A's clock
    int64_t to_ns = 0;
    TimeBand size;  // by how much B's clock was put forward against A's
    bool certain = true;
};

struct ClockEstimate {
    std::vector<ClockStretch> stretches;  // in order; what lies between two is unknown
    std::vector<ClockStep> steps;         // between those
    bool unstable = false;                // too many steps: no clock that runs evenly between some of them

    // nullptr for a packet in none.
    const ClockStretch* at(uint64_t packet) const;
    // The first one that A's clock shows this time in; nullptr where there is none.
    const ClockStretch* showing(int64_t at_ns) const;
    // Unbounded where nothing is known.
    TimeBand offset(uint64_t packet, int64_t at_ns) const;
};

// No clock of a computer runs that wrong, not even while it is slewed by adjtime (500 ppm).
constexpr double most_skew_ppm = 1000;
constexpr size_t most_clock_steps = 32;

// `error_ns`: by how much two times may be wrong together, since they are cut to whole units. Sorts the samples.
ClockEstimate estimate_clock(std::vector<ClockSample>& samples, int64_t error_ns);

}  // namespace sanscope
