// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sanscope {

// As first_not_before(), of the rows from position `from` on: the sooner it is found the nearer it is.
template <class Rows, class TimeAt>
size_t next_not_before(const Rows& rows, size_t from, int64_t time_ns, TimeAt time_at) {
    size_t step = 1;
    size_t below = from;  // none before this one is asked for any more
    size_t at = from;
    while (at < rows.size() && time_at(rows[at]) < time_ns) {
        below = at + 1;
        at += step;
        step *= 2;
    }
    size_t end = std::min(at, rows.size());
    while (below < end) {
        const size_t middle = below + (end - below) / 2;
        if (time_at(rows[middle]) < time_ns) {
            below = middle + 1;
        } else {
            end = middle;
        }
    }
    return below;
}

}  // namespace sanscope
