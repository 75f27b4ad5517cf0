// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "analyzer/compare/time_blocks.h"

namespace sanscope {

// A quotient of two sums, block by block: the bytes and the time they took, the turnarounds and how many there were.
struct BlockedSums {
    std::array<double, TimeBlocks::count> part{};
    std::array<double, TimeBlocks::count> whole{};

    void add(size_t block, double of_part, double of_whole) {
        part[block] += of_part;
        whole[block] += of_whole;
    }
};

// Durations, counted by block in buckets whose width grows with the value to at most 1/64 of it.
class BlockedDurations {
  public:
    void add(size_t block, int64_t value_ns) {
        const auto value = static_cast<uint64_t>(std::max<int64_t>(value_ns, 0));
        std::vector<uint32_t>& counts = counts_[block];
        const size_t bucket = bucket_of(value);
        if (bucket >= counts.size()) counts.resize(bucket + 1);
        ++counts[bucket];
        ++totals_[block];
        buckets_ = std::max(buckets_, counts.size());
    }

    const std::vector<uint32_t>& counts(size_t block) const { return counts_[block]; }
    uint64_t total(size_t block) const { return totals_[block]; }
    size_t buckets() const { return buckets_; }

    // A bucket holds values from its low end up to that of the next one.
    static double low_end(size_t bucket) {
        if (bucket < sub_buckets) return static_cast<double>(bucket);
        const size_t shift = bucket / sub_buckets - 1;
        return static_cast<double>((bucket % sub_buckets + sub_buckets) << shift);
    }

  private:
    static constexpr unsigned sub_bits = 6;
    static constexpr uint64_t sub_buckets = 1U << sub_bits;

    static size_t bucket_of(uint64_t value) {
        if (value < sub_buckets) return static_cast<size_t>(value);
        const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - sub_bits - 1;
        return static_cast<size_t>((shift + 1) * sub_buckets + (value >> shift) - sub_buckets);
    }

    std::array<std::vector<uint32_t>, TimeBlocks::count> counts_;
    std::array<uint64_t, TimeBlocks::count> totals_{};
    size_t buckets_ = 0;
};

}  // namespace sanscope
