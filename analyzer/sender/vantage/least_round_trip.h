// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace sanscope {

// The least time from the tap to a sender and back: as given, or learnt from segments that answer an acknowledgement,
// which come no sooner than that behind it.
class LeastRoundTrip {
  public:
    // A time that cannot be one is not known.
    explicit LeastRoundTrip(int64_t ns) {
        if (ns < 0 || ns > longest_ns) return;
        ns_ = ns;
        known_ = true;
    }

    // A segment came so long after an acknowledgement that it shows was processed. One alone may be false, where the tap
    // missed what was answered: a round trip that was known gives way to the second least.
    void on_answer(int64_t ns) {
        if (ns < least_answer_ns_) std::swap(ns, least_answer_ns_);
        confirmed_answer_ns_ = std::min(confirmed_answer_ns_, ns);
        const int64_t believed_ns = known_ ? confirmed_answer_ns_ : least_answer_ns_;
        if (!known_ || believed_ns < ns_) ns_ = believed_ns;
        known_ = true;
    }

    int64_t ns() const { return ns_; }
    // What was sent longer ago than this has arrived, or is lost: no path stands still for so long.
    int64_t longest_way_ns() const { return 2 * ns_ + patience_ns; }

  private:
    static constexpr int64_t longest_ns = 10'000'000'000;
    static constexpr int64_t patience_ns = 2'000'000'000;

    bool known_ = false;
    int64_t ns_ = 0;
    int64_t least_answer_ns_ = longest_ns;  // the least two
    int64_t confirmed_answer_ns_ = longest_ns;
};

}  // namespace sanscope
