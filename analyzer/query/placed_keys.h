// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <span>

namespace sanscope {

// Keys with the places they come from, packed into 64 bits each: as many of the key's high bits as there is room for, and behind
// them the place. No two are the same, so that they can be sorted where they lie, and equal keys keep the order of their places.
class PlacedKeys {
  public:
    // Of keys from `least` to `greatest`, and places of `place_bits` bits, at most 32.
    PlacedKeys(uint64_t least, uint64_t greatest, int place_bits)
        : least_(least),
          place_bits_(place_bits),
          cut_bits_(std::max(0, static_cast<int>(std::bit_width(greatest - least)) - (64 - place_bits))),
          key_bits_(static_cast<int>(std::bit_width(greatest - least)) - cut_bits_) {}

    uint64_t pack(uint64_t key, uint64_t place) const {
        return (key - least_) >> cut_bits_ << place_bits_ | place;
    }
    // Without the low bits there was no room for.
    uint64_t key(uint64_t item) const { return (item >> place_bits_ << cut_bits_) + least_; }
    uint64_t place_mask() const { return (uint64_t{1} << place_bits_) - 1; }
    // Whether there was room for all bits.
    bool whole() const { return cut_bits_ == 0; }

    // Sorts packed ones, in place but for an eighth of a byte a place and thread. False soon after another thread sets `stop`,
    // which may be nullptr; they are in any order then.
    bool sort(std::span<uint64_t> items, unsigned threads, const std::atomic<bool>* stop) const;

  private:
    class Sorter;

    uint64_t least_;
    int place_bits_;
    int cut_bits_;
    int key_bits_;
};

}  // namespace sanscope
