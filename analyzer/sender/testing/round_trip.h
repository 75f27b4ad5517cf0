// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "analyzer/sender/testing/virtual_time.h"

namespace sanscope::simulated {

// The retransmission timeout of RFC 6298 §2, its variance kept from falling under 200 ms as Linux does.
class RoundTrip {
  public:
    void measure(int64_t rtt_ns) {
        shortest_ns_ = std::min(shortest_ns_, rtt_ns);
        if (!measured_) {
            smoothed_ns_ = rtt_ns;
            variation_ns_ = rtt_ns / 2;
        } else {
            variation_ns_ += (std::abs(smoothed_ns_ - rtt_ns) - variation_ns_) / 4;
            smoothed_ns_ += (rtt_ns - smoothed_ns_) / 8;
        }
        measured_ = true;
    }

    bool measured() const { return measured_; }
    int64_t smoothed_ns() const { return smoothed_ns_; }
    int64_t shortest_ns() const { return shortest_ns_; }
    int64_t timeout_ns() const {
        return measured_ ? smoothed_ns_ + std::max(4 * variation_ns_, 200 * millisecond) : 1 * second;
    }

  private:
    bool measured_ = false;
    int64_t smoothed_ns_ = 0;
    int64_t variation_ns_ = 0;
    int64_t shortest_ns_ = std::numeric_limits<int64_t>::max();
};

}  // namespace sanscope::simulated
