// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sanscope {

// Columns of whole numbers in few bits, any of which is read without the others. In each block of 128 rows a column is kept
// as differences from its least value, in as many bits as the greatest takes (frame of reference), or as places in a list of its
// values, where few of them repeat (dictionary), whichever is less. Zero stands for what is unknown or absent and, where it does, is
// no least value: it takes a code of its own.
constexpr size_t packed_run = 128;
using PackedValues = std::array<uint64_t, packed_run>;

// A block as it lies in memory: of each column a head, then of each its base, then codes and lists.
class PackedBlock {
  public:
    PackedBlock() = default;
    explicit PackedBlock(const uint64_t* words) : words_(words) {}

    // Of the block's columns that of this number, of its rows that at `row`.
    [[gnu::always_inline]] uint64_t value(size_t column, size_t columns, size_t row) const {
        const Head head = head_of(column);
        return meaning(head, words_[first_base(columns) + column],
                       head.width == 0 ? 0 : code(words_ + head.codes, row, head.width));
    }
    // Of the rows from `first` on as many as there is room for.
    void values(size_t column, size_t columns, size_t first, std::span<uint64_t> into) const;

  private:
    friend class BlockPacker;

    enum class Kind : uint8_t { offsets, offsets_or_absent, listed };
    struct Head {
        uint16_t codes = 0;  // where they begin, in words
        uint8_t width = 0;   // bits of a code; 0: all are alike
        Kind kind = Kind::offsets;
    };
    static_assert(sizeof(Head) == 4);

    static constexpr size_t first_base(size_t columns) { return (columns + 1) / 2; }
    static uint64_t word_of(Head head) {
        return head.codes | uint64_t{head.width} << 16 | uint64_t{static_cast<uint8_t>(head.kind)} << 24;
    }
    Head head_of(size_t column) const {
        const uint64_t word = words_[column / 2] >> (column % 2 * 32);
        return {static_cast<uint16_t>(word), static_cast<uint8_t>(word >> 16),
                static_cast<Kind>(word >> 24 & 0xff)};
    }
    // `width` > 0. Reads a word beyond the last code's.
    static uint64_t code(const uint64_t* codes, size_t row, unsigned width) {
        const size_t bit = row * width;
        const uint64_t* const at = codes + bit / 64;
        const unsigned shift = bit % 64;
        const uint64_t mask = (uint64_t{2} << (width - 1)) - 1;
        return (at[0] >> shift | at[1] << 1 << (63 - shift)) & mask;
    }
    // `base`: of a list where it begins, in words.
    uint64_t meaning(Head head, uint64_t base, uint64_t code) const {
        if (head.kind == Kind::listed) return words_[base + code];
        return head.kind == Kind::offsets_or_absent && code == 0 ? 0 : base + code;
    }

    const uint64_t* words_ = nullptr;
};

// What a block of so many columns may take, in words.
constexpr size_t most_packed_words(size_t columns) {
    return (columns + 1) / 2 + columns * (1 + packed_run) + 1;
}

// Between what the values of a column lie.
struct PackedRange {
    uint64_t below_least = UINT64_MAX;  // of those that are not zero
    uint64_t greatest = 0;
    bool absent = false;  // some are zero

    void take(uint64_t value) {
        absent |= value == 0;
        below_least = std::min(below_least, value - 1);  // zero wraps to the greatest
        greatest = std::max(greatest, value);
    }
    // Of what is told of them by all their bits together.
    static PackedRange of_bits(uint64_t bits) { return {0, bits, true}; }
};

// Makes a block, column by column in order.
class BlockPacker {
  public:
    // `words`: room for most_packed_words(columns), which must outlive this.
    BlockPacker(std::span<uint64_t> words, size_t columns);

    // `range` is that of the values, or a wider one. Whether they are listed; where `may_list` is false that is not tried.
    bool add(size_t column, const PackedValues& values, const PackedRange& range, bool may_list);

    // All columns have been added; the block.
    std::span<const uint64_t> finish();

  private:
    using Kind = PackedBlock::Kind;

    bool add_list(size_t column, const PackedValues& values, unsigned width);
    void add_head(size_t column, unsigned width, Kind kind, uint64_t base);
    template <class CodeOf>
    void add_codes(const PackedValues& values, unsigned width, CodeOf code_of);

    std::span<uint64_t> words_;
    size_t first_base_;
    size_t used_;
};

}  // namespace sanscope
