// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

namespace sanscope {

// Until when each logical unit of a target is taken up by commands beside which it serves nothing else, one after the
// other. Threads may use it at once.
class UnitOccupation {
  public:
    using TimePoint = std::chrono::steady_clock::time_point;

    explicit UnitOccupation(uint32_t luns) : until_(luns) {}

    // From when on `lun`, one of those there are, serves others; `now` where it does already.
    TimePoint free_from(uint32_t lun, TimePoint now) const {
        return std::max(now, TimePoint(TimePoint::duration(until_[lun].load(std::memory_order_relaxed))));
    }
    // Takes it up for `time` more, once it is free; when that is over.
    TimePoint occupy(uint32_t lun, TimePoint now, std::chrono::nanoseconds time) {
        std::atomic<TimePoint::rep>& until = until_[lun];
        TimePoint::rep before = until.load(std::memory_order_relaxed);
        for (;;) {
            const TimePoint begin = std::max(now, TimePoint(TimePoint::duration(before)));
            const TimePoint end = std::min(begin + time, now + most_ahead);
            if (until.compare_exchange_weak(before, end.time_since_epoch().count(),
                                            std::memory_order_relaxed))
                return end;
        }
    }

  private:
    // However many such commands an initiator sends.
    static constexpr std::chrono::hours most_ahead{1};

    std::vector<std::atomic<TimePoint::rep>> until_;
};

}  // namespace sanscope
