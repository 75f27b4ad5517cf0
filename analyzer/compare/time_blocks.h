// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "analyzer/base/reachable_time.h"

namespace sanscope {

// A stretch of time cut into blocks of the same length. What lies within one block may depend on each other (commands of a
// burst, packets of a flight), and mostly does; what lies in different ones hardly.
class TimeBlocks {
  public:
    static constexpr size_t count = 24;

    TimeBlocks() = default;
    TimeBlocks(int64_t first_ns, int64_t last_ns)
        : first_ns_(within_reach(first_ns)), last_ns_(std::max(within_reach(last_ns), first_ns_)) {}

    bool empty() const { return last_ns_ == first_ns_; }
    double block_ns() const { return static_cast<double>(last_ns_ - first_ns_) / count; }
    // Moments before or after it belong to the first or last one.
    size_t index_of(int64_t time_ns) const {
        if (empty()) return 0;
        const double since = static_cast<double>(std::clamp(time_ns, first_ns_, last_ns_) - first_ns_);
        return std::min(static_cast<size_t>(since / block_ns()), count - 1);
    }
    // Calls `add(block, ns)` for each block that the stretch lies in, with how much of it does.
    template <class Add>
    void spread(int64_t begin_ns, int64_t end_ns, Add&& add) const {
        begin_ns = std::clamp(begin_ns, first_ns_, last_ns_);
        end_ns = std::clamp(end_ns, first_ns_, last_ns_);
        if (empty() || end_ns <= begin_ns) return;
        const size_t last = index_of(end_ns);
        auto from = static_cast<double>(begin_ns - first_ns_);
        const auto to = static_cast<double>(end_ns - first_ns_);
        for (size_t block = index_of(begin_ns); block <= last; ++block) {
            const double until =
                block == last ? to : std::min(to, static_cast<double>(block + 1) * block_ns());
            if (until > from) add(block, until - from);
            from = std::max(from, until);
        }
    }

  private:
    int64_t first_ns_ = 0;
    int64_t last_ns_ = 0;
};

}  // namespace sanscope
