// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "analyzer/base/serial32.h"

namespace sanscope {

// The millisecond ticks of a Linux sender's TSval, from what it is seen to send: no segment leaves before the tick that
// it shows begins, and of many in one tick the first is close to its beginning. The earliest of the last seconds
// counts, so that the two clocks may drift apart; but the newest segment alone leaves no more than one tick in doubt.
class TimestampTicks {
  public:
    bool known() const { return begun_; }

    void on_sent(uint32_t timestamp, int64_t now_us) {
        if (!begun_) {
            begun_ = true;
            first_ = Serial32(timestamp);
            period_end_us_ = now_us + period_us;
        }
        if (now_us >= period_end_us_) {
            before_us_ = earliest_us_;
            earliest_us_ = never;
            period_end_us_ = now_us + period_us;
        }
        newest_ = since_first(timestamp);
        newest_us_ = now_us;
        earliest_us_ = std::min(earliest_us_, now_us - newest_ * tick_us);
    }

    // How many ticks ago TSval was `timestamp`.
    int64_t since(uint32_t timestamp, int64_t now_us) const {
        const int64_t by_newest = newest_ + (now_us - newest_us_) / tick_us;
        const int64_t by_earliest = (now_us - std::min(earliest_us_, before_us_)) / tick_us;
        return std::clamp(by_earliest, by_newest, by_newest + 1) - since_first(timestamp);
    }

    static constexpr int64_t tick_us = 1000;

  private:
    static constexpr int64_t period_us = 2'000'000;
    static constexpr int64_t never = std::numeric_limits<int64_t>::max();

    int64_t since_first(uint32_t timestamp) const { return first_.distance_to(Serial32(timestamp)); }

    bool begun_ = false;
    Serial32 first_;
    int64_t newest_ = 0;  // ticks since the first
    int64_t newest_us_ = 0;
    int64_t earliest_us_ = never;  // when the first tick began, at the latest
    int64_t before_us_ = never;    // the same, of the period before
    int64_t period_end_us_ = 0;
};

}  // namespace sanscope
