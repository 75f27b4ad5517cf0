// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace sanscope {

// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014): eight bytes of state,
// any seed is a good one, and the same seed gives the same numbers everywhere.
class RandomNumbers {
  public:
    explicit RandomNumbers(uint64_t seed) : state_(seed) {}

    uint64_t next() {
        state_ += 0x9e3779b97f4a7c15;
        return mixed(state_);
    }

    // Uniform in [0, limit), 0 < `limit` (Lemire: Fast Random Integer Generation in an Interval, 2019).
    uint64_t below(uint64_t limit) {
        Wide product = Wide{next()} * limit;
        if (static_cast<uint64_t>(product) < limit) {
            const uint64_t uneven = (0 - limit) % limit;
            while (static_cast<uint64_t>(product) < uneven) product = Wide{next()} * limit;
        }
        return static_cast<uint64_t>(product >> 64);
    }

    // Uniform in [0, 1), in steps of 2^-53.
    double fraction() { return static_cast<double>(next() >> 11) * 0x1p-53; }

    // Every bit of the result depends on every bit of `value`, and no two values have the same one.
    static constexpr uint64_t mixed(uint64_t value) {
        value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
        value = (value ^ value >> 27) * 0x94d049bb133111eb;
        return value ^ value >> 31;
    }

  private:
    __extension__ using Wide = unsigned __int128;

    uint64_t state_;
};

}  // namespace sanscope
