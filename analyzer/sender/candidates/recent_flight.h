// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "analyzer/sender/candidates/round_trip_end.h"
#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {

// The most that a sender with more to send had in flight in each of the last such round trips, when it stopped. BBR's window
// becomes smaller without a loss, as its bandwidth filter forgets: then that is all that shows it.
class RecentFlight {
  public:
    // A burst has ended; `more_waiting`: the application had written more.
    void on_burst_end(const SenderState& tp, bool more_waiting) {
        if (!more_waiting) return;
        if (round_trip_.next(tp)) {
            newest_ = (newest_ + 1) % rounds_.size();
            rounds_[newest_] = 0;
        }
        rounds_[newest_] = std::max(rounds_[newest_], tp.in_flight());
    }
    // In segments, an eighth less than the second most of these round trips: at a remote tap what is in flight is now and
    // then estimated too high. 0: not known yet.
    uint32_t confirmed() const {
        auto rounds = rounds_;
        std::ranges::sort(rounds, std::ranges::greater{});
        return rounds[1] - rounds[1] / 8;
    }

  private:
    std::array<uint32_t, 4> rounds_{};  // how many was chosen, not measured
    size_t newest_ = 0;
    RoundTripEnd round_trip_;
};

}  // namespace sanscope
