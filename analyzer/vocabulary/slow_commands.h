// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/base/time_spans.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// A command is slow from this many times the median of its kind (name and size class) on, and so much longer.
constexpr int64_t slow_factor = 3;
constexpr int64_t slow_by_ns = 1'000'000;
// A kind of fewer commands has no median to speak of.
constexpr uint64_t least_of_a_kind = 20;

// What a command's time is longer for the initiator than a capture of that connection shows: at the target, a round trip.
inline int64_t behind_tap_ns(const ConnectionRow& connection) {
    const bool is_behind = connection.vantage == Vantage::target && connection.rtt_min_ns != no_time;
    return is_behind ? round_trip_ns(connection.rtt_min_ns) : 0;
}

// `took_ns`: as the capture shows it; `path_ns`: behind_tap_ns().
constexpr bool is_slow(int64_t took_ns, int64_t usual_ns, int64_t path_ns) {
    return (took_ns + path_ns) / slow_factor >= usual_ns + path_ns && took_ns - usual_ns >= slow_by_ns;
}

}  // namespace sanscope
