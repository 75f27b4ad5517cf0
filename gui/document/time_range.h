// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

namespace sanscope {

// A range of time, [begin_ns, end_ns), nanoseconds since the epoch.
struct TimeRange {
    int64_t begin_ns = 0;
    int64_t end_ns = 0;

    int64_t span_ns() const { return end_ns - begin_ns; }
    bool empty() const { return end_ns <= begin_ns; }
    bool contains(int64_t time_ns) const { return begin_ns <= time_ns && time_ns < end_ns; }
    bool contains(const TimeRange& other) const {
        return begin_ns <= other.begin_ns && other.end_ns <= end_ns;
    }
    bool overlaps(const TimeRange& other) const { return begin_ns < other.end_ns && other.begin_ns < end_ns; }
    // Wider by this fraction of its span at each end.
    TimeRange widened(double fraction) const {
        const auto more = static_cast<int64_t>(static_cast<double>(span_ns()) * fraction);
        return {begin_ns - more, end_ns + more};
    }
    bool operator==(const TimeRange&) const = default;
};

}  // namespace sanscope
