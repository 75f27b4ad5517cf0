// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/placed_keys.h"

#include <array>
#include <utility>
#include <vector>

#include "analyzer/query/on_threads.h"

namespace sanscope {

// American flag sort (McIlroy, Bostic, McIlroy: Engineering Radix Sort, 1993), most significant digit first; what is left of equal
// keys are places, which are put in order by a bit map where they lie close.
class PlacedKeys::Sorter {
  public:
    Sorter(int place_bits, const std::atomic<bool>* stop) : place_bits_(place_bits), stop_(stop) {}

    static constexpr int digit_bits = 8;
    static constexpr size_t digits = size_t{1} << digit_bits;
    using Ends = std::array<size_t, digits>;

    // By the bits [low_bit, high_bit), of which there are at most digit_bits: where each digit's items end then.
    static Ends distribute(std::span<uint64_t> items, int low_bit, int high_bit) {
        const uint64_t mask = (uint64_t{1} << (high_bit - low_bit)) - 1;
        const auto digit = [&](uint64_t item) { return static_cast<size_t>(item >> low_bit & mask); };
        Ends ends{};
        for (const uint64_t item : items) ++ends[digit(item)];
        Ends next{};
        size_t begin = 0;
        for (size_t value = 0; value < digits; ++value) {
            next[value] = begin;
            begin = ends[value] += begin;
        }
        if (ends[digit(items.front())] - next[digit(items.front())] == items.size()) return ends;
        for (size_t value = 0; value < digits; ++value) {
            while (next[value] < ends[value]) {
                uint64_t item = items[next[value]];
                for (size_t to = digit(item); to != value; to = digit(item))
                    std::swap(item, items[next[to]++]);
                items[next[value]++] = item;
            }
        }
        return ends;
    }

    int low_bit_of(int high_bit) const {
        return std::max(high_bit > place_bits_ ? place_bits_ : 0, high_bit - digit_bits);
    }

    // All bits from `high_bit` on are the same. False when stopped.
    bool sort(std::span<uint64_t> items, int high_bit) {
        constexpr size_t few = 256;
        while (items.size() > few) {
            if (high_bit <= 0) return true;
            if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) return false;
            if (high_bit == place_bits_ && sort_places(items)) return true;
            const int low_bit = low_bit_of(high_bit);
            const Ends ends = distribute(items, low_bit, high_bit);
            high_bit = low_bit;
            size_t begin = 0;
            // The last one, or the only one, goes on here.
            for (const size_t end : ends) {
                if (end == items.size()) break;
                if (!sort(items.subspan(begin, end - begin), high_bit)) return false;
                begin = end;
            }
            items = items.subspan(begin);
        }
        std::sort(items.begin(), items.end());
        return true;
    }

  private:
    // They differ in their places alone. False where these lie too far apart.
    bool sort_places(std::span<uint64_t> items) {
        constexpr size_t word_bits = 64;
        const auto [least, greatest] = std::ranges::minmax(items);
        const uint64_t first_word = least / word_bits;
        const auto words = static_cast<size_t>(greatest / word_bits - first_word + 1);
        if (words / 4 > items.size()) return false;
        map_.assign(words, 0);
        for (const uint64_t item : items)
            map_[item / word_bits - first_word] |= uint64_t{1} << item % word_bits;
        auto to = items.begin();
        for (size_t word = 0; word < words; ++word) {
            for (uint64_t bits = map_[word]; bits != 0; bits &= bits - 1) {
                *to++ = (first_word + word) * word_bits + static_cast<uint64_t>(std::countr_zero(bits));
            }
        }
        return true;
    }

    int place_bits_;
    const std::atomic<bool>* stop_;
    std::vector<uint64_t> map_;
};

bool PlacedKeys::sort(std::span<uint64_t> items, unsigned threads, const std::atomic<bool>* stop) const {
    if (items.empty()) return true;
    int high_bit = place_bits_ + key_bits_;
    Sorter here(place_bits_, stop);
    if (threads < 2 || high_bit <= place_bits_) return here.sort(items, high_bit);
    const int low_bit = here.low_bit_of(high_bit);
    const Sorter::Ends ends = Sorter::distribute(items, low_bit, high_bit);
    std::atomic<size_t> next = 0;
    std::atomic<bool> sorted = true;
    const auto sort_digits = [&](Sorter& sorter) {
        for (size_t digit = next++; digit < ends.size(); digit = next++) {
            const size_t begin = digit == 0 ? 0 : ends[digit - 1];
            if (!sorter.sort(items.subspan(begin, ends[digit] - begin), low_bit)) sorted = false;
        }
    };
    on_threads(threads, [&](size_t part) {
        if (part == 0) return sort_digits(here);
        Sorter other(place_bits_, stop);
        sort_digits(other);
    });
    return sorted;
}

}  // namespace sanscope
