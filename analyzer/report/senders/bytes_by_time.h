// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace sanscope {

// How long how many bytes were in flight, or in a window, told within an eighth.
class BytesByTime {
  public:
    // The time with less.
    double below(uint32_t bytes) const {
        double sum = 0;
        for (size_t i = 0; i < place_of(bytes); ++i) sum += times_[i];
        return sum;
    }
    double all() const { return std::accumulate(times_.begin(), times_.end(), 0.0); }
    void add(uint32_t bytes, int64_t ns) { times_[place_of(bytes)] += static_cast<double>(ns); }
    uint32_t quantile(double fraction) const {
        const double whole = all();
        double sum = 0;
        for (size_t i = 0; i < times_.size(); ++i) {
            sum += times_[i];
            if (sum > 0 && sum >= fraction * whole) return value_of(i);
        }
        return 0;
    }

  private:
    static size_t place_of(uint32_t bytes) {
        if (bytes < 8) return bytes;
        const auto shift = static_cast<unsigned>(std::bit_width(bytes)) - 4;
        return (shift + 1) * 8 + ((bytes >> shift) & 7);
    }
    static uint32_t value_of(size_t place) {
        if (place < 8) return static_cast<uint32_t>(place);
        const size_t shift = place / 8 - 1;
        return static_cast<uint32_t>((8 + place % 8) << shift);
    }
    std::array<double, size_t{8} * 30> times_{};
};

}  // namespace sanscope
