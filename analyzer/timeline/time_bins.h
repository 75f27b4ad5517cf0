// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace sanscope {

// Figures over time in bins of equal width that are never more than `most`: as time goes on, neighbours are merged and the
// width doubles. `Bin` has add(const Bin&). Moments may come in any order; one before the first moves the beginning back.
template <class Bin>
class TimeBins {
  public:
    static constexpr size_t most = 4096;

    // The bin that holds the moment. Good until the next call.
    Bin& at(int64_t time_ns) {
        if (bins_.empty()) {
            begin_ns_ = time_ns;
            bins_.resize(1);
            return bins_.front();
        }
        while (time_ns < begin_ns_) grow_backwards(time_ns);
        uint64_t index = index_of(time_ns);
        while (index >= most) {
            halve();
            index = index_of(time_ns);
        }
        if (index >= bins_.size()) bins_.resize(static_cast<size_t>(index) + 1);
        return bins_[static_cast<size_t>(index)];
    }

    std::span<const Bin> bins() const { return bins_; }
    // Of the first bin, and of each.
    int64_t begin_ns() const { return begin_ns_; }
    int64_t width_ns() const { return static_cast<int64_t>(width_); }

  private:
    uint64_t index_of(int64_t time_ns) const {
        return (static_cast<uint64_t>(time_ns) - static_cast<uint64_t>(begin_ns_)) >>
               std::countr_zero(width_);
    }

    void halve() {
        const size_t half = (bins_.size() + 1) / 2;
        for (size_t i = 0; i < half; ++i) {
            Bin merged = bins_[2 * i];
            if (2 * i + 1 < bins_.size()) merged.add(bins_[2 * i + 1]);
            bins_[i] = merged;
        }
        bins_.resize(half);
        width_ *= 2;
    }

    // Whole bins are put in front, after as many doublings as it takes.
    void grow_backwards(int64_t time_ns) {
        const auto missing = [&] {
            return (static_cast<uint64_t>(begin_ns_) - static_cast<uint64_t>(time_ns) + width_ - 1) / width_;
        };
        while (bins_.size() + missing() > most) halve();
        const uint64_t front = missing();
        bins_.insert(bins_.begin(), static_cast<size_t>(front), Bin{});
        begin_ns_ = static_cast<int64_t>(static_cast<uint64_t>(begin_ns_) - front * width_);
    }

    std::vector<Bin> bins_;
    int64_t begin_ns_ = 0;
    uint64_t width_ = 1024;  // a power of two
};

}  // namespace sanscope
