// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sanscope::wireshark {

// Percentiles of durations that come one by one, at hand after each: the least value that a given share of all values
// do not exceed (nearest rank), within 1/512 (0.2 %) of itself. Counts in buckets whose width grows with the value, so
// that memory is bounded (115 KB) however many values come. A mark stays with each percentile and moves a little with
// each value: nothing says when the last one has come, and finding all of them anew each time would take longer than
// all else.
template <size_t count>
class RunningPercentiles {
  public:
    explicit RunningPercentiles(const std::array<double, count>& shares) : shares_(shares) {}

    // What is below 0 counts as 0.
    void add(int64_t value) {
        const int64_t kept = std::max<int64_t>(value, 0);
        const size_t bucket = bucket_of(static_cast<uint64_t>(kept));
        if (bucket >= counts_.size()) counts_.resize(bucket + 1);
        ++counts_[bucket];
        least_ = size_ == 0 ? kept : std::min(least_, kept);
        greatest_ = std::max(greatest_, kept);
        ++size_;
        for (size_t i = 0; i < count; ++i) move(marks_[i], bucket, shares_[i]);
    }

    // For these there must be a value.
    int64_t percentile(size_t index) const {
        return std::clamp(middle_of(marks_[index].bucket), least_, greatest_);
    }
    int64_t least() const { return least_; }
    int64_t greatest() const { return greatest_; }
    uint64_t size() const { return size_; }

  private:
    static constexpr unsigned sub_bits = 8;
    static constexpr uint64_t sub_buckets = 1u << sub_bits;

    struct Mark {
        size_t bucket = 0;   // that holds the percentile
        uint64_t below = 0;  // values in the buckets before
    };

    static size_t bucket_of(uint64_t value) {
        if (value < sub_buckets) return static_cast<size_t>(value);
        const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - sub_bits - 1;
        return static_cast<size_t>(shift * sub_buckets + (value >> shift));
    }
    static int64_t middle_of(size_t bucket) {
        if (bucket < 2 * sub_buckets) return static_cast<int64_t>(bucket);
        const uint64_t shift = bucket / sub_buckets - 1;
        const uint64_t low = (bucket % sub_buckets + sub_buckets) << shift;
        return static_cast<int64_t>(low + ((uint64_t{1} << shift) >> 1));
    }

    void move(Mark& mark, size_t added, double share) {
        if (added < mark.bucket) ++mark.below;
        const auto rank = static_cast<uint64_t>(std::ceil(share * static_cast<double>(size_)));
        const uint64_t wanted = std::clamp<uint64_t>(rank, 1, size_);
        while (mark.below + counts_[mark.bucket] < wanted) mark.below += counts_[mark.bucket++];
        while (mark.below >= wanted) mark.below -= counts_[--mark.bucket];
    }

    std::array<double, count> shares_;
    std::vector<uint64_t> counts_;
    std::array<Mark, count> marks_;
    uint64_t size_ = 0;
    int64_t least_ = 0;
    int64_t greatest_ = 0;
};

}  // namespace sanscope::wireshark
