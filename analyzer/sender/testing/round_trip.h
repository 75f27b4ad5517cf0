// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "analyzer/base/serial32.h"
#include "analyzer/sender/testing/virtual_time.h"

namespace sanscope::simulated {

// The retransmission timeout of RFC 6298 §2, with two choices of Linux's: the variation rises with any sample but falls
// once a round trip only, so that many samples of one round trip do not make it forget; and four times it is not held
// for less than 200 ms.
class RoundTrip {
  public:
    // `snd_una` and `snd_nxt` separate round trips.
    void measure(int64_t rtt_ns, Serial32 snd_una, Serial32 snd_nxt) {
        shortest_ns_ = std::min(shortest_ns_, rtt_ns);
        if (!measured_) {
            measured_ = true;
            smoothed_ns_ = rtt_ns;
            deviation_ns_ = rtt_ns / 2;
            variation_ns_ = peak_ns_ = std::max(deviation_ns_, least_ns);
            round_end_ = snd_nxt;
            return;
        }
        const int64_t error_ns = rtt_ns - smoothed_ns_;
        int64_t step_ns = std::abs(error_ns) - deviation_ns_;
        // A round trip that got shorter by more than the deviation is no sign of more of it.
        if (error_ns < 0 && step_ns > 0) step_ns /= 8;
        deviation_ns_ += step_ns / 4;
        smoothed_ns_ += error_ns / 8;
        peak_ns_ = std::max(peak_ns_, deviation_ns_);
        variation_ns_ = std::max(variation_ns_, peak_ns_);
        if (round_end_.before(snd_una)) {
            if (peak_ns_ < variation_ns_) variation_ns_ -= (variation_ns_ - peak_ns_) / 4;
            round_end_ = snd_nxt;
            peak_ns_ = least_ns;
        }
    }

    bool measured() const { return measured_; }
    int64_t smoothed_ns() const { return smoothed_ns_; }
    int64_t shortest_ns() const { return shortest_ns_; }
    int64_t timeout_ns() const { return measured_ ? smoothed_ns_ + 4 * variation_ns_ : 1 * second; }

  private:
    static constexpr int64_t least_ns = 50 * millisecond;

    bool measured_ = false;
    Serial32 round_end_;
    int64_t smoothed_ns_ = 0;
    int64_t deviation_ns_ = 0;
    int64_t peak_ns_ = 0;  // of the deviation, in this round trip
    int64_t variation_ns_ = 0;
    int64_t shortest_ns_ = std::numeric_limits<int64_t>::max();
};

}  // namespace sanscope::simulated
