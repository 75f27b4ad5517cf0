// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/vantage/sender_clock.h"

#include <algorithm>
#include <array>

namespace sanscope {

namespace {

// The ticks that systems use: Linux (1 ms; before 6.7's choice of 1 µs, at HZ before 4.13: 1, 3.33, 4, 10 ms), Windows
// and the BSDs (1, 10, 100, 500 ms).
constexpr std::array<int64_t, 8> known_ticks_ns{1'000,      1'000'000,   3'333'333,   4'000'000,
                                                10'000'000, 100'000'000, 500'000'000, 0};
constexpr int64_t first_span_ns = 40'000'000;
constexpr int64_t longest_span_ns = 20'000'000'000;
constexpr int32_t farthest_anchor = 1 << 29;

}  // namespace

void SenderClock::anchor(uint32_t timestamp, int64_t arrival_ns) {
    anchored_ = true;
    anchor_timestamp_ = timestamp;
    measure_timestamp_ = timestamp;
    measure_from_ns_ = arrival_ns;
    measure_span_ns_ = first_span_ns;
    period_end_ns_ = arrival_ns + period_ns;
    earliest_ = {};
    latest_ = {};
}

void SenderClock::on_arrival(uint32_t timestamp, int64_t arrival_ns) {
    if (arrival_ns > sane_ns || arrival_ns < -sane_ns) return;
    if (!anchored_ || ticks_since_anchor(timestamp) > farthest_anchor ||
        ticks_since_anchor(timestamp) < -farthest_anchor) {
        anchor(timestamp, arrival_ns);
        return;
    }
    if (arrival_ns - measure_from_ns_ >= measure_span_ns_) measure_tick(timestamp, arrival_ns);
    if (arrival_ns >= period_end_ns_) {
        const bool skipped = arrival_ns - period_end_ns_ >= period_ns;
        earliest_ = {no_time, skipped ? no_time : earliest_.current};
        latest_ = {no_time, skipped ? no_time : latest_.current};
        period_end_ns_ = arrival_ns + period_ns;
    }
}

void SenderClock::measure_tick(uint32_t timestamp, int64_t arrival_ns) {
    const int64_t span_ns = arrival_ns - measure_from_ns_;
    const int64_t ticks = Serial32(measure_timestamp_).distance_to(Serial32(timestamp));
    if (ticks <= 0) {
        if (span_ns > 2'000'000'000) tick_ns_ = 0;
        return;
    }
    const double measured_ns = static_cast<double>(span_ns) / static_cast<double>(ticks);
    int64_t nearest_ns = 0;
    for (const int64_t known_ns : known_ticks_ns) {
        const double ratio = measured_ns / static_cast<double>(std::max<int64_t>(1, known_ns));
        if (ratio > 0.75 && ratio < 1.35) nearest_ns = known_ns;
    }
    // The more ticks were counted the less is the reading off by.
    if (nearest_ns != 0 && ticks < 8) return;
    if (nearest_ns != tick_ns_) {
        tick_ns_ = nearest_ns;
        earliest_ = {};
        latest_ = {};
    }
    if (measure_span_ns_ < longest_span_ns) {
        measure_span_ns_ *= 2;
    } else {
        measure_timestamp_ = timestamp;
        measure_from_ns_ = arrival_ns;
    }
}

}  // namespace sanscope
