// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/base/moments.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// The congestion window of one sender over time, each value counting for as long as it held: bounded, however long the
// connection lasted. In: its changes, in order of time.
class WindowOverTime {
  public:
    // `cwnd` in bytes; unknown where it is not known from then on.
    void set(int64_t time_ns, uint32_t cwnd) {
        pass_to(time_ns);
        cwnd_ = cwnd;
    }
    // The value before holds until then.
    void pass_to(int64_t time_ns) {
        if (since_ns_ == no_time) since_ns_ = time_ns;
        const int64_t passed_ns = std::max<int64_t>(0, time_ns - since_ns_);
        since_ns_ += passed_ns;
        observed_ns_ += passed_ns;
        if (cwnd_ != unknown<uint32_t>)
            known_.add(static_cast<double>(cwnd_), static_cast<double>(passed_ns));
    }

    // Over the time in which it is known; nanoseconds, bytes.
    const Moments& known() const { return known_; }
    // That time's share of all from the first change on.
    double known_share() const {
        return observed_ns_ > 0 ? known_.weight() / static_cast<double>(observed_ns_) : 0;
    }

  private:
    Moments known_;
    int64_t since_ns_ = no_time;
    int64_t observed_ns_ = 0;
    uint32_t cwnd_ = unknown<uint32_t>;
};

}  // namespace sanscope
