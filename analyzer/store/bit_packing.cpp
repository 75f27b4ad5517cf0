// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/bit_packing.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>

namespace sanscope {
namespace {

// The different values of a column, as long as they are few.
class ValueList {
  public:
    static constexpr size_t most = 32;

    // The value's place in the list; `most` where the list is full.
    size_t place(uint64_t value) {
        size_t slot = value * 0x9e3779b97f4a7c15U >> (64 - slot_bits);
        while (slots_[slot] != 0) {
            const size_t place = slots_[slot] - size_t{1};
            if (values_[place] == value) return place;
            slot = (slot + 1) % slots_.size();
        }
        if (size_ == most) return most;
        values_[size_] = value;
        slots_[slot] = static_cast<uint8_t>(++size_);
        return size_ - 1;
    }
    std::span<const uint64_t> values() const { return std::span(values_).first(size_); }

  private:
    static constexpr unsigned slot_bits = 7;
    std::array<uint8_t, size_t{1} << slot_bits> slots_{};  // places + 1; 0: free
    std::array<uint64_t, most> values_;
    size_t size_ = 0;
};

// A list would hardly be less.
constexpr unsigned least_listed_width = 8;

constexpr size_t words_of(unsigned width) {
    return (packed_run * width + 63) / 64;
}

}  // namespace

void PackedBlock::values(size_t column, size_t columns, size_t first, std::span<uint64_t> into) const {
    const Head head = head_of(column);
    const uint64_t base = words_[first_base(columns) + column];
    if (head.width == 0) {
        std::ranges::fill(into, meaning(head, base, 0));
        return;
    }
    const uint64_t* const codes = words_ + head.codes;
    // Each with one load where it lies in eight bytes from some byte on.
    constexpr unsigned most_in_one_load = 57;
    const bool one_load = std::endian::native == std::endian::little && head.width <= most_in_one_load;
    const auto read = [&](auto meaning_of) {
        if (!one_load) {
            for (size_t i = 0; i < into.size(); ++i) into[i] = meaning_of(code(codes, first + i, head.width));
            return;
        }
        const auto* const bytes = reinterpret_cast<const unsigned char*>(codes);
        const uint64_t mask = (uint64_t{1} << head.width) - 1;
        const size_t width = head.width;
        size_t bit = first * width;
        for (uint64_t& value : into) {
            uint64_t word;
            std::memcpy(&word, bytes + bit / 8, sizeof word);
            value = meaning_of(word >> bit % 8 & mask);
            bit += width;
        }
    };
    switch (head.kind) {
        case Kind::offsets:
            return read([&](uint64_t offset) { return base + offset; });
        case Kind::offsets_or_absent:
            return read([&](uint64_t offset) { return offset == 0 ? 0 : base + offset; });
        case Kind::listed:
            return read([&](uint64_t place) { return words_[base + place]; });
    }
}

BlockPacker::BlockPacker(std::span<uint64_t> words, size_t columns)
    : words_(words), first_base_(PackedBlock::first_base(columns)), used_(first_base_ + columns) {
    assert(words.size() >= most_packed_words(columns));
    assert(words.size() <= std::numeric_limits<uint16_t>::max());
    std::ranges::fill(words.first(first_base_), 0);
}

bool BlockPacker::add(size_t column, const PackedValues& values, const PackedRange& range, bool may_list) {
    const bool mixed = range.absent && range.below_least > 0;
    const uint64_t base = mixed ? range.below_least : range.absent ? 0 : range.below_least + 1;
    const auto width = range.greatest == 0 ? 0 : static_cast<unsigned>(std::bit_width(range.greatest - base));
    if (width == 0) {
        add_head(column, 0, Kind::offsets, range.greatest);
        return false;
    }
    if (may_list && width > least_listed_width && add_list(column, values, width)) return true;
    add_head(column, width, mixed ? Kind::offsets_or_absent : Kind::offsets, base);
    if (mixed) {
        add_codes(values, width, [&](uint64_t value) { return value == 0 ? 0 : value - base; });
    } else {
        add_codes(values, width, [&](uint64_t value) { return value - base; });
    }
    return false;
}

bool BlockPacker::add_list(size_t column, const PackedValues& values, unsigned width) {
    ValueList list;
    PackedValues places;
    size_t place = 0;
    for (size_t i = 0; i < packed_run; ++i) {
        if (i == 0 || values[i] != values[i - 1]) place = list.place(values[i]);
        if (place == ValueList::most) return false;
        places[i] = place;
    }
    const std::span<const uint64_t> listed = list.values();
    const auto place_width = static_cast<unsigned>(std::bit_width(listed.size() - 1));
    if (listed.size() + words_of(place_width) >= words_of(width)) return false;
    const size_t begin = used_;
    std::ranges::copy(listed, words_.begin() + static_cast<ptrdiff_t>(begin));
    used_ += listed.size();
    add_head(column, place_width, Kind::listed, begin);
    if (place_width > 0) add_codes(places, place_width, [](uint64_t value) { return value; });
    return true;
}

// The codes follow.
void BlockPacker::add_head(size_t column, unsigned width, Kind kind, uint64_t base) {
    const PackedBlock::Head head = {static_cast<uint16_t>(used_), static_cast<uint8_t>(width), kind};
    words_[column / 2] |= PackedBlock::word_of(head) << (column % 2 * 32);
    words_[first_base_ + column] = base;
}

template <class CodeOf>
void BlockPacker::add_codes(const PackedValues& values, unsigned width, CodeOf code_of) {
    uint64_t word = 0;
    unsigned filled = 0;
    uint64_t* next = &words_[used_];
    for (const uint64_t value : values) {
        const uint64_t code = code_of(value);
        word |= code << filled;
        filled += width;
        if (filled < 64) continue;
        *next++ = word;
        filled -= 64;
        word = filled == 0 ? 0 : code >> (width - filled);
    }
    if (filled > 0) *next++ = word;
    used_ = static_cast<size_t>(next - words_.data());
}

std::span<const uint64_t> BlockPacker::finish() {
    words_[used_++] = 0;
    return words_.first(used_);
}

}  // namespace sanscope
