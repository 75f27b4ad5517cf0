// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/store/row_iterator.h"

namespace sanscope {

// The rows of a table, appended one by one and never removed. They are kept in chunks of a fixed number of
// rows that never move once made, so a pointer to a row stays good as long as the container, and growing
// copies nothing. Indices are 0-based; the row numbers that tables show are one more. One thread at a time.
template <class Row>
class ChunkedRows {
  public:
    // A power of two, so that finding a row is a shift and a mask; about a quarter of a megabyte.
    static constexpr size_t rows_per_chunk = std::bit_floor(size_t{256} * 1024 / sizeof(Row));

    // The chunks lie in `memory`, which must outlive them.
    explicit ChunkedRows(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
        : memory_(memory) {}
    ChunkedRows(ChunkedRows&&) noexcept = default;
    ChunkedRows& operator=(ChunkedRows&&) noexcept = default;
    // A copied vector forgets the room reserved in it, and rows would move.
    ChunkedRows(const ChunkedRows&) = delete;
    ChunkedRows& operator=(const ChunkedRows&) = delete;

    // The row's place, good until this container ends.
    Row& append(const Row& row) {
        if (chunks_.empty() || chunks_.back().size() == rows_per_chunk) add_chunk();
        return chunks_.back().emplace_back(row);
    }
    Row& append(Row&& row) {
        if (chunks_.empty() || chunks_.back().size() == rows_per_chunk) add_chunk();
        return chunks_.back().emplace_back(std::move(row));
    }

    size_t size() const {
        return chunks_.empty() ? 0 : (chunks_.size() - 1) * rows_per_chunk + chunks_.back().size();
    }
    bool empty() const { return chunks_.empty(); }

    // `index` < size().
    Row& operator[](size_t index) { return chunks_[index / rows_per_chunk][index % rows_per_chunk]; }
    const Row& operator[](size_t index) const {
        return chunks_[index / rows_per_chunk][index % rows_per_chunk];
    }

    // One column of a row.
    template <auto member>
    const auto& get(size_t index) const {
        return (*this)[index].*member;
    }

    // Rows from `first` (< size()) on that lie one behind another: `most` of them, or fewer.
    std::span<const Row> run(size_t first, size_t most) const {
        const auto& chunk = chunks_[first / rows_per_chunk];
        const size_t offset = first % rows_per_chunk;
        return std::span(chunk).subspan(offset, std::min(most, chunk.size() - offset));
    }

    // Calls `visit(std::span<const Row>, first)` for runs of the rows [first, first + count), in order; `members` as in PackedRows.
    template <auto... members, class Visit>
    void for_each_run(size_t first, size_t count, Visit&& visit) const {
        while (count > 0) {
            const std::span<const Row> rows = run(first, count);
            visit(rows, first);
            first += rows.size();
            count -= rows.size();
        }
    }
    template <class Visit>
    void for_each_run(Visit&& visit) const {
        for_each_run(0, size(), visit);
    }

    // Held by the rows themselves, what they own elsewhere (strings) not counted.
    size_t memory_bytes() const { return chunks_.size() * rows_per_chunk * sizeof(Row); }

    using iterator = RowIterator<ChunkedRows, Row>;
    using const_iterator = RowIterator<const ChunkedRows, Row>;

    iterator begin() { return {this, 0}; }
    iterator end() { return {this, size()}; }
    const_iterator begin() const { return {this, 0}; }
    const_iterator end() const { return {this, size()}; }

  private:
    void add_chunk() { chunks_.emplace_back(memory_).reserve(rows_per_chunk); }

    std::pmr::memory_resource* memory_;
    std::vector<std::pmr::vector<Row>>
        chunks_;  // each reserved in full and so never reallocated; all but the last full
};

}  // namespace sanscope
