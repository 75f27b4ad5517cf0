// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "gui/plot/step_series.h"

#include "analyzer/store/stored_rows.h"
#include "analyzer/timeline/timeline.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// One sender's figure as it holds from window to window: one of the summands of StepSum.
struct StepSource {
    const StoredRows<WindowRow>* rows = nullptr;
    const SenderTrack::Rows* windows = nullptr;
    uint32_t WindowRow::*figure = nullptr;
    int64_t until_ns = 0;  // the last one holds until then

    int64_t time_at(size_t position) const { return rows->get<&WindowRow::time_ns>((*windows)[position]); }
    double value_at(size_t position) const {
        const uint32_t value = rows->get((*windows)[position], figure);
        return value == unknown<uint32_t> ? no_value : static_cast<double>(value);
    }
};

// Calls `visit(stretch, sum, values)` for each stretch of `range` in which none of the sources changes, in order: `values` are
// theirs, NaN where not known, `sum` that of the known ones, NaN where none is. Visits every row in the range.
template <class Visit>
void each_stretch(const std::vector<StepSource>& sources, const TimeRange& range, Visit visit) {
    struct Place {
        size_t next;
        size_t end;
        int64_t next_ns;
    };
    constexpr int64_t never = std::numeric_limits<int64_t>::max();
    std::vector<Place> places;
    std::vector<double> values;
    for (const StepSource& source : sources) {
        const auto time_at = [&](size_t position) { return source.time_at(position); };
        const size_t first = gallop_to(0, source.windows->size(), range.begin_ns, time_at);
        const size_t end = gallop_to(first, source.windows->size(), range.end_ns, time_at);
        const bool holds = first > 0 && source.until_ns > range.begin_ns;
        values.push_back(holds ? source.value_at(first - 1) : no_value);
        places.push_back({first, end, first < end ? time_at(first) : source.until_ns});
    }
    int64_t at = range.begin_ns;
    while (at < range.end_ns) {
        int64_t next = range.end_ns;
        for (const Place& place : places) next = std::min(next, std::max(place.next_ns, at));
        if (next > at) {
            double sum = 0;
            bool any = false;
            for (const double value : values) {
                if (std::isnan(value)) continue;
                sum += value;
                any = true;
            }
            visit(TimeRange{at, next}, any ? sum : no_value, values);
        }
        at = next;
        if (at >= range.end_ns) break;
        for (size_t i = 0; i < places.size(); ++i) {
            Place& place = places[i];
            while (place.next_ns <= at) {
                if (place.next < place.end) {
                    values[i] = sources[i].value_at(place.next++);
                    place.next_ns =
                        place.next < place.end ? sources[i].time_at(place.next) : sources[i].until_ns;
                    // A last row behind the end holds on.
                    if (place.next == place.end && place.next_ns <= at) place.next_ns = at + 1;
                } else {
                    values[i] = no_value;
                    place.next_ns = never;
                }
            }
        }
    }
}

}  // namespace sanscope
