// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gui/plot/columns.h"

namespace sanscope {

// What state something was in, over time, prepared to be drawn: stretch by stretch, or, where there are many, as the share
// of each column's time that was spent in each state.
struct StateBand {
    static constexpr size_t most_states = 8;

    struct Change {
        int64_t time_ns = 0;
        uint8_t state = 0;  // < most_states, from then on
    };
    struct Span {
        TimeRange range;
        uint8_t state = 0;
    };
    struct Shares {
        TimeRange range;
        std::array<float, most_states> share{};  // of the range; what they lack of 1 is not known
    };

    std::vector<Span> spans;      // in order; empty where there are `columns`
    std::vector<Shares> columns;  // in order, those alone in which it was in a state
    int64_t until_ns = 0;         // beyond, nothing is known of it

    // `changes` in order of time, beginning with that which holds at the range's begin, if one does; the last state holds
    // until `until_ns`.
    static StateBand of(const PreparedRange& prepared, const std::vector<Change>& changes, int64_t until_ns);

    // The state at a moment: its span, or the column around it. nullptr where there is none.
    const Span* span_at(int64_t time_ns) const;
    const Shares* shares_at(int64_t time_ns) const;
};

}  // namespace sanscope
