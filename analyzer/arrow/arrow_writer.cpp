// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/arrow/arrow_writer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "analyzer/arrow/column_buffers.h"

namespace sanscope {
namespace {

template <class T>
std::span<const char> bytes_of(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// Numbers, moments, durations and booleans.
class NumberColumn {
  public:
    NumberColumn(size_t column, ArrowType type) : column_(column), type_(type) {}

    // Where the table shall put so many rows.
    NumberSlice slice(size_t rows) {
        values_.resize(rows);
        known_.resize(rows);
        return {column_, values_.data(), known_.data()};
    }
    // Once it has.
    ArrowArray array() {
        validity_.assign(known_);
        if (type_ == ArrowType::boolean) {
            booleans_.assign(values_.begin(), values_.end());
            bits_.assign(booleans_);
        }
        return {
            .length = values_.size(),
            .null_count = validity_.null_count(),
            .buffers = {validity_.bytes(), type_ == ArrowType::boolean ? bits_.bytes() : bytes_of(values_)}};
    }

  private:
    size_t column_;
    ArrowType type_;
    std::vector<uint64_t> values_;
    std::vector<uint8_t> known_;
    std::vector<uint8_t> booleans_;
    Validity validity_;
    Bits bits_;
};

class TextColumn {
  public:
    TextColumn(size_t column, ArrowType type)
        : column_(column), is_dictionary_(type == ArrowType::dictionary) {}

    void read(const Table& table, size_t first, size_t rows) {
        known_.resize(rows);
        indices_.assign(rows, 0);
        words_.clear();
        for (size_t begin = 0; begin < rows; begin += cells_.size()) {
            const std::span<Cell> cells = std::span(cells_).first(std::min(cells_.size(), rows - begin));
            table.cells(column_, first + begin, cells);
            for (size_t i = 0; i < cells.size(); i++) add(begin + i, cells[i]);
        }
        validity_.assign(known_);
    }

    // Whether a reader does not know all words yet; not more than once of the same ones.
    bool has_new_words() {
        if (!is_dictionary_ || (told_once_ && told_ == dictionary_.words().size())) return false;
        told_ = dictionary_.words().size();
        told_once_ = true;
        return true;
    }
    const Utf8Values& dictionary() const { return dictionary_.words(); }

    ArrowArray array() const {
        ArrowArray array{
            .length = known_.size(), .null_count = validity_.null_count(), .buffers = {validity_.bytes()}};
        if (is_dictionary_) {
            array.buffers.push_back(bytes_of(indices_));
        } else {
            array.buffers.push_back(words_.offsets());
            array.buffers.push_back(words_.text());
        }
        return array;
    }

  private:
    void add(size_t row, const Cell& cell) {
        const bool known = cell.kind == Cell::Kind::text;
        known_[row] = known ? 1 : 0;
        if (is_dictionary_) {
            if (known) indices_[row] = dictionary_.index_of(cell.text);
        } else {
            words_.append(known ? cell.text : std::string_view());
        }
    }

    size_t column_;
    bool is_dictionary_;
    std::array<Cell, 64> cells_;  // some of a batch, as many as the caches hold
    Dictionary dictionary_;
    size_t told_ = 0;
    bool told_once_ = false;
    std::vector<uint8_t> known_;
    std::vector<int32_t> indices_;
    Utf8Values words_;
    Validity validity_;
};

constexpr ColumnInfo capture_column = {"capture", ColumnType::text,
                                       "The capture that the row is of: its file, or what --capture-id says"};

class Writer {
  public:
    Writer(const Table& table, const ArrowOrigin& origin, ByteSink& sink)
        : table_(table), origin_(origin), stream_(sink) {
        for (const ColumnInfo& column : table.columns()) fields_.push_back(arrow_field(column));
        fields_.push_back(arrow_field(capture_column));
        for (size_t i = 0; i < table.columns().size(); i++) {
            if (table.columns()[i].type == ColumnType::text) {
                texts_.emplace_back(i, fields_[i].type);
            } else {
                numbers_.emplace_back(i, fields_[i].type);
            }
        }
        capture_.append(origin.capture);
    }

    bool write() {
        if (!stream_.schema(fields_, origin_.metadata)) return false;
        const size_t rows = table_.rows();
        for (size_t first = 0; first < rows; first += arrow_batch_rows) {
            if (!write_batch(first, std::min(arrow_batch_rows, rows - first))) return false;
        }
        return stream_.end();
    }

  private:
    bool write_batch(size_t first, size_t rows) {
        slices_.clear();
        for (NumberColumn& column : numbers_) slices_.push_back(column.slice(rows));
        table_.numbers(first, rows, slices_);
        for (TextColumn& column : texts_) column.read(table_, first, rows);
        if (!write_dictionaries(first == 0)) return false;

        arrays_.clear();
        auto number = numbers_.begin();
        auto text = texts_.begin();
        for (const ColumnInfo& column : table_.columns()) {
            arrays_.push_back(column.type == ColumnType::text ? (text++)->array() : (number++)->array());
        }
        capture_indices_.assign(rows, 0);
        arrays_.push_back({.length = rows, .null_count = 0, .buffers = {{}, bytes_of(capture_indices_)}});
        return stream_.batch(rows, arrays_);
    }

    bool write_dictionaries(bool of_first_batch) {
        auto text = texts_.begin();
        for (size_t i = 0; i < table_.columns().size(); i++) {
            if (table_.columns()[i].type != ColumnType::text) continue;
            TextColumn& column = *text++;
            if (column.has_new_words() && !stream_.dictionary(i, column.dictionary().array())) return false;
        }
        return !of_first_batch || stream_.dictionary(table_.columns().size(), capture_.array());
    }

    const Table& table_;
    const ArrowOrigin& origin_;
    ArrowStream stream_;
    std::vector<ArrowField> fields_;
    std::deque<NumberColumn> numbers_;  // each in the order of the table's columns
    std::deque<TextColumn> texts_;
    Utf8Values capture_;
    std::vector<int32_t> capture_indices_;
    std::vector<NumberSlice> slices_;
    std::vector<ArrowArray> arrays_;
};

}  // namespace

bool write_arrow(const Table& table, const ArrowOrigin& origin, ByteSink& sink) {
    return Writer(table, origin, sink).write();
}

}  // namespace sanscope
