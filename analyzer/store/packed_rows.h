// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "analyzer/store/bit_packing.h"
#include "analyzer/store/packed_columns.h"
#include "analyzer/store/row_iterator.h"

namespace sanscope {

// The rows of a table that has one a packet or more, appended one by one, never removed, and settled once the next one is
// appended. Each 128 of them are packed column by column (bit_packing.h), into a quarter to a half of their room; the last ones
// wait as they are. A row is unpacked where it lies, without its neighbours, and so comes by value; who wants many
// uses for_each_run(), who wants one column get(). Indices are 0-based. One thread at a time. Decision 015.
//
// What is packed of a row is told by PackedColumns<Row>.
template <class Row>
class PackedRows {
  public:
    static constexpr size_t rows_per_block = packed_run;

    // What is packed lies in `memory`, which must outlive it.
    explicit PackedRows(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
        : memory_(memory) {}
    PackedRows(PackedRows&&) noexcept = default;
    PackedRows& operator=(PackedRows&&) noexcept = default;
    PackedRows(const PackedRows&) = delete;
    PackedRows& operator=(const PackedRows&) = delete;

    // The row's place, good until the next one is appended.
    Row& append(const Row& row) {
        if (waiting_.size() == rows_per_block) [[unlikely]]
            pack_waiting();
        if (waiting_.capacity() == 0) waiting_.reserve(rows_per_block);
        return waiting_.emplace_back(row);
    }

    size_t size() const { return packed() + waiting_.size(); }
    bool empty() const { return waiting_.empty(); }

    // `index` < size().
    Row operator[](size_t index) const {
        if (index >= packed()) return waiting_[index - packed()];
        const Block block = blocks_[index / rows_per_block];
        Row row;
        each_column([&]<size_t column, class Packed>(std::type_identity<Packed>) {
            Packed::set(row, block.value(column, columns, index % rows_per_block));
        });
        return row;
    }

    // One column of a row.
    template <auto member>
    auto get(size_t index) const {
        if (index >= packed()) return waiting_[index - packed()].*member;
        constexpr size_t column = place_of<member>();
        const Block block = blocks_[index / rows_per_block];
        return PackedField<member>::value_of(block.value(column, columns, index % rows_per_block));
    }

    // The same of a column that is not known beforehand.
    template <class Value>
    Value get(size_t index, Value Row::*member) const {
        if (index >= packed()) return waiting_[index - packed()].*member;
        const Block block = blocks_[index / rows_per_block];
        std::optional<Value> found;
        each_column([&]<size_t column, class Packed>(std::type_identity<Packed>) {
            if (Packed::is(member))
                found = PackedValue<Value>::value(block.value(column, columns, index % rows_per_block));
        });
        return found ? *found : (*this)[index].*member;
    }

    // Calls `visit(i, value)` with one column of the rows first + i, i < count, in order.
    template <auto member, class Visit>
    void for_each_value(size_t first, size_t count, Visit visit) const {
        assert(first + count <= size());
        PackedValues values;
        size_t i = 0;
        while (i < count && first + i < packed()) {
            const size_t offset = (first + i) % rows_per_block;
            const size_t some = std::min(count - i, rows_per_block - offset);
            blocks_[(first + i) / rows_per_block].values(place_of<member>(), columns, offset,
                                                         std::span(values).first(some));
            for (size_t value = 0; value < some; ++value, ++i)
                visit(i, PackedField<member>::value_of(values[value]));
        }
        for (; i < count; ++i) visit(i, waiting_[first + i - packed()].*member);
    }

    // Calls `visit(std::span<const Row>, first)` for runs of the rows [first, first + count), in order. With `members` those are all
    // that may be looked at.
    template <auto... members, class Visit>
    void for_each_run(size_t first, size_t count, Visit&& visit) const {
        (static_cast<void>(place_of<members>()), ...);
        const size_t end = first + count;
        assert(end <= size());
        std::array<Row, rows_per_block> rows;
        while (first < std::min(end, packed())) {
            const size_t offset = first % rows_per_block;
            const size_t some = std::min(end - first, rows_per_block - offset);
            unpack<members...>(first / rows_per_block, offset, std::span(rows).first(some));
            visit(std::span<const Row>(rows).first(some), first);
            first += some;
        }
        if (first < end) visit(std::span<const Row>(waiting_).subspan(first - packed(), end - first), first);
    }
    template <class Visit>
    void for_each_run(Visit&& visit) const {
        for_each_run(0, size(), visit);
    }

    // Each row may be changed by `change`, which tells whether it was. A block of which one was is packed anew, and lies there twice.
    template <class Change>
    void change_each(Change change) {
        std::array<Row, rows_per_block> rows;
        for (size_t block = 0; block < blocks_.size(); ++block) {
            unpack(block, 0, rows);
            bool changed = false;
            for (Row& row : rows) changed |= change(row);
            if (changed) blocks_[block] = pack(rows);
        }
        for (Row& row : waiting_) change(row);
    }

    // Held by what is packed and waits.
    size_t memory_bytes() const {
        return pieces_.size() * words_per_piece * sizeof(uint64_t) + blocks_.capacity() * sizeof(Block) +
               waiting_.capacity() * sizeof(Row);
    }

    using const_iterator = RowIterator<const PackedRows, Row>;
    const_iterator begin() const { return {this, 0}; }
    const_iterator end() const { return {this, size()}; }

  private:
    using Columns = typename PackedColumns<Row>::Columns;
    static constexpr size_t columns = std::tuple_size_v<Columns>;
    using Block = PackedBlock;
    static constexpr uint8_t most_without_list = 7;
    static constexpr size_t words_per_piece = size_t{256} * 1024 / sizeof(uint64_t);

    template <class Visit>
    static void each_column(Visit&& visit) {
        [&]<size_t... column>(std::index_sequence<column...>) {
            (visit.template operator()<column>(std::type_identity<std::tuple_element_t<column, Columns>>()),
             ...);
        }
        (std::make_index_sequence<columns>());
    }
    template <auto member>
    static constexpr size_t place_of() {
        constexpr size_t place = []<size_t... column>(std::index_sequence<column...>) {
            size_t found = columns;
            ((std::is_same_v<std::tuple_element_t<column, Columns>, PackedField<member>>
                  ? void(found = column)
                  : void()),
             ...);
            return found;
        }
        (std::make_index_sequence<columns>());
        static_assert(place < columns, "no column of its own");
        return place;
    }

    size_t packed() const { return blocks_.size() * rows_per_block; }

    void pack_waiting() {
        blocks_.push_back(pack(std::span<const Row, rows_per_block>(waiting_)));
        waiting_.clear();
    }

    Block pack(std::span<const Row, rows_per_block> rows) {
        std::array<uint64_t, most_packed_words(columns)> words;
        BlockPacker packer(words, columns);
        PackedValues values;
        each_column([&]<size_t column, class Packed>(std::type_identity<Packed>) {
            const PackedRange range = gather<Packed>(rows, values);
            // Where the last block's values were too many to be listed, the next ones' mostly are.
            uint8_t& rest = blocks_without_list_[column];
            const bool may_list = Packed::bytes > 1 && rest == 0;
            if (packer.add(column, values, range, may_list)) return;
            rest = may_list ? most_without_list : static_cast<uint8_t>(rest - (rest > 0 ? 1 : 0));
        });
        const std::span<const uint64_t> block = packer.finish();
        if (pieces_.empty() || pieces_.back().size() + block.size() > words_per_piece)
            pieces_.emplace_back(memory_).reserve(words_per_piece);
        std::pmr::vector<uint64_t>& piece = pieces_.back();
        piece.insert(piece.end(), block.begin(), block.end());
        return Block(piece.data() + piece.size() - block.size());
    }

    template <class Packed>
    static PackedRange gather(std::span<const Row, rows_per_block> rows, PackedValues& values) {
        PackedRange range;
        if constexpr (Packed::bytes == 1) {
            uint64_t bits = 0;
            uint64_t differences = 0;
            const uint64_t first = Packed::get(rows[0]);
            for (size_t i = 0; i < rows_per_block; ++i) {
                values[i] = Packed::get(rows[i]);
                bits |= values[i];
                differences |= values[i] ^ first;
            }
            if (differences != 0) return PackedRange::of_bits(bits);
            range.take(first);
        } else {
            for (size_t i = 0; i < rows_per_block; ++i) range.take(values[i] = Packed::get(rows[i]));
        }
        return range;
    }

    // Without `members`: all of them.
    template <auto... members>
    void unpack(size_t block, size_t offset, std::span<Row> rows) const {
        PackedValues values;
        each_column([&]<size_t column, class Packed>(std::type_identity<Packed>) {
            constexpr bool is_wanted =
                sizeof...(members) == 0 || (std::is_same_v<Packed, PackedField<members>> || ...);
            if (!is_wanted) return;
            blocks_[block].values(column, columns, offset, std::span(values).first(rows.size()));
            for (size_t i = 0; i < rows.size(); ++i) Packed::set(rows[i], values[i]);
        });
    }

    std::pmr::memory_resource* memory_;
    std::vector<std::pmr::vector<uint64_t>> pieces_;      // each reserved in full and so never reallocated
    std::vector<Block> blocks_;                           // all of rows_per_block rows
    std::vector<Row> waiting_;                            // empty only where there are no rows
    std::array<uint8_t, columns> blocks_without_list_{};  // by column: for so many more no list is tried
};

}  // namespace sanscope
