// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/ladder/path_delay.h"

#include <algorithm>

namespace sanscope {

PathDelay PathDelay::between(int64_t round_trip_ns, bool here_is_initiator) {
    PathDelay delay;
    delay.measured = true;
    delay.vantage = here_is_initiator ? Vantage::initiator : Vantage::target;
    (here_is_initiator ? delay.to_target_ns : delay.to_initiator_ns) =
        std::max<int64_t>(round_trip_ns, 0) / 2;
    return delay;
}

PathDelay PathDelay::of(const ResultStore& store, uint32_t connection) {
    // Longer round trips there may be, but none of a path.
    constexpr int64_t longest_ns = 60'000'000'000;
    const ConnectionRow& row = store.connections()[connection - 1];
    int64_t round_trip_ns = row.rtt_min_ns;
    if (round_trip_ns == no_time) {
        for (const SenderSummary& sender : store.senders()) {
            if (sender.connection() != connection || sender.rtt_min_ns() == no_time) continue;
            round_trip_ns =
                round_trip_ns == no_time ? sender.rtt_min_ns() : std::min(round_trip_ns, sender.rtt_min_ns());
        }
    }
    PathDelay delay;
    delay.vantage = row.vantage;
    if (round_trip_ns < 0) return delay;  // no_time, too
    delay.measured = true;
    const int64_t way_ns = std::min(round_trip_ns, longest_ns) / 2;
    switch (row.vantage) {
        case Vantage::target:
            delay.to_initiator_ns = way_ns;
            break;
        case Vantage::middle:
            delay.to_initiator_ns = way_ns / 2;
            delay.to_target_ns = way_ns - way_ns / 2;
            break;
        case Vantage::initiator:
        case Vantage::unknown:
            delay.to_target_ns = way_ns;
            break;
    }
    return delay;
}

}  // namespace sanscope
