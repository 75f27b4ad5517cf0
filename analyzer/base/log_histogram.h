// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "analyzer/base/moments.h"

namespace sanscope {

// Counts of durations in buckets whose width grows with the value, so that a percentile is reported within 1/128
// (0.8 %) of itself whatever its size. Grows with the greatest value seen, to 31 KB at the most.
class LogHistogram {
  public:
    void add(int64_t value_ns) {
        const auto value = static_cast<uint64_t>(std::max<int64_t>(value_ns, 0));
        const size_t bucket = bucket_of(value);
        if (bucket >= counts_.size()) counts_.resize(bucket + 1);
        ++counts_[bucket];
        ++count_;
        moments_.add(static_cast<double>(value));
        max_ = std::max(max_, value);
        min_ = count_ == 1 ? value : std::min(min_, value);
    }

    void add(const LogHistogram& other);

    // What was added since this was like `before`, an earlier copy. Its least and greatest values are known as the others are.
    LogHistogram since(const LogHistogram& before) const;

    uint64_t count() const { return count_; }
    int64_t max_ns() const { return static_cast<int64_t>(max_); }
    int64_t min_ns() const { return static_cast<int64_t>(min_); }
    const Moments& moments() const { return moments_; }
    double mean_ns() const { return moments_.mean(); }
    double standard_deviation_ns() const { return moments_.standard_deviation(); }
    // The least value that `fraction` (0 … 1) of all values do not exceed; 0 of an empty histogram.
    int64_t percentile_ns(double fraction) const;
    // Whether that is the percentile of these values and `missing` more too, whatever those are: it would move by a quarter
    // at most, were all of them the least, or the greatest.
    bool percentile_holds(double fraction, uint64_t missing) const;
    // Whether so few are missing that mean, deviation and greatest value are told: one in a hundred.
    bool moments_hold(uint64_t missing) const { return count_ > 0 && missing * 100 <= count_ + missing; }

  private:
    static constexpr unsigned sub_bits = 6;
    static constexpr uint64_t sub_buckets = 1u << sub_bits;

    static size_t bucket_of(uint64_t value) {
        if (value < sub_buckets) return static_cast<size_t>(value);
        const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - sub_bits - 1;
        return static_cast<size_t>((shift + 1) * sub_buckets + (value >> shift) - sub_buckets);
    }
    static uint64_t middle_of(size_t bucket) {
        if (bucket < sub_buckets) return bucket;
        const uint64_t shift = bucket / sub_buckets - 1;
        const uint64_t low = (bucket % sub_buckets + sub_buckets) << shift;
        return low + ((uint64_t{1} << shift) >> 1);
    }

    std::vector<uint64_t> counts_;
    uint64_t count_ = 0;
    uint64_t max_ = 0;
    uint64_t min_ = 0;
    Moments moments_;
};

}  // namespace sanscope
