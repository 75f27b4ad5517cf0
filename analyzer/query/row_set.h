// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sanscope {

// Some of the rows of a table, 0-based: a bit for each row of the table. One thread at a time, but any number may read.
class RowSet {
  public:
    static constexpr size_t none = SIZE_MAX;

    RowSet() = default;
    // None of so many rows.
    explicit RowSet(size_t size) : size_(size), words_((size + 63) / 64) {}

    // Rows of the table, set or not.
    size_t size() const { return size_; }

    // `row` < size().
    void set(size_t row) { words_[row / 64] |= uint64_t{1} << (row % 64); }
    void reset(size_t row) { words_[row / 64] &= ~(uint64_t{1} << (row % 64)); }
    void set_all() {
        std::fill(words_.begin(), words_.end(), ~uint64_t{0});
        if (size_ % 64 != 0) words_.back() = (uint64_t{1} << (size_ % 64)) - 1;
    }
    // False for a row that the table does not have.
    bool test(size_t row) const { return row < size_ && (words_[row / 64] >> (row % 64) & 1) != 0; }

    size_t count() const {
        size_t count = 0;
        for (const uint64_t word : words_) count += static_cast<size_t>(std::popcount(word));
        return count;
    }
    bool empty() const { return next(0) == none; }

    // The first row from `from` on that is set, or `none`.
    size_t next(size_t from) const {
        if (from >= size_) return none;
        size_t i = from / 64;
        uint64_t word = words_[i] >> (from % 64) << (from % 64);
        while (word == 0) {
            if (++i == words_.size()) return none;
            word = words_[i];
        }
        return i * 64 + static_cast<size_t>(std::countr_zero(word));
    }

    // Calls `visit` with each row that is set, in order.
    template <class Visit>
    void for_each(Visit visit) const {
        for (size_t i = 0; i < words_.size(); ++i) {
            for (uint64_t word = words_[i]; word != 0; word &= word - 1) {
                visit(i * 64 + static_cast<size_t>(std::countr_zero(word)));
            }
        }
    }

    // In order: what order_rows() takes. Of a table of less than 2^32 rows.
    void append_rows(std::vector<uint32_t>& rows) const {
        rows.reserve(rows.size() + count());
        for_each([&](size_t row) { rows.push_back(static_cast<uint32_t>(row)); });
    }

    // With a set of the same size.
    RowSet& operator|=(const RowSet& other) {
        for (size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
        return *this;
    }
    RowSet& operator&=(const RowSet& other) {
        for (size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
        return *this;
    }
    bool operator==(const RowSet&) const = default;

  private:
    size_t size_ = 0;
    std::vector<uint64_t> words_;
};

}  // namespace sanscope
