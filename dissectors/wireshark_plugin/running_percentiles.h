// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>

namespace sanscope::wireshark {

// Exact percentiles of values that come one by one, told after each: the least value that a given share of all values do
// not exceed (nearest rank). Keeps every value.
template <size_t count>
class RunningPercentiles {
  public:
    explicit RunningPercentiles(const std::array<double, count>& shares) : shares_(shares) {}
    RunningPercentiles(const RunningPercentiles&) = delete;
    RunningPercentiles& operator=(const RunningPercentiles&) = delete;

    void add(int64_t value) {
        values_.insert(value);  // behind its equals
        for (size_t i = 0; i < count; ++i) {
            Mark& mark = marks_[i];
            if (values_.size() == 1) {
                mark = {values_.begin(), 1};
                continue;
            }
            if (value < *mark.place) ++mark.rank;
            const auto wanted =
                static_cast<size_t>(std::ceil(shares_[i] * static_cast<double>(values_.size())));
            for (; mark.rank < wanted; ++mark.rank) ++mark.place;
            for (; mark.rank > wanted && mark.rank > 1; --mark.rank) --mark.place;
        }
    }

    // For these there must be a value.
    int64_t percentile(size_t index) const { return *marks_[index].place; }
    int64_t least() const { return *values_.begin(); }
    int64_t greatest() const { return *values_.rbegin(); }
    size_t size() const { return values_.size(); }

  private:
    struct Mark {
        std::multiset<int64_t>::const_iterator place;
        size_t rank = 0;  // of the value there, from 1
    };
    std::array<double, count> shares_;
    std::multiset<int64_t> values_;
    std::array<Mark, count> marks_;
};

}  // namespace sanscope::wireshark
