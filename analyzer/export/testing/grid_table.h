// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analyzer/export/byte_sink.h"
#include "analyzer/tables/table.h"

namespace sanscope {

// A table for tests: columns of given types, each cell set by a function.
class GridTable final : public Table {
  public:
    using Row = std::vector<std::function<void(Cell&)>>;

    GridTable(std::vector<ColumnInfo> columns, std::vector<Row> rows)
        : columns_(std::move(columns)), rows_(std::move(rows)) {}

    std::string_view name() const override { return "grid"; }
    std::span<const ColumnInfo> columns() const override { return columns_; }
    size_t rows() const override { return rows_.size(); }
    void cell(size_t row, size_t column, Cell& cell) const override { rows_[row][column](cell); }

  private:
    std::vector<ColumnInfo> columns_;
    std::vector<Row> rows_;
};

inline std::function<void(Cell&)> nothing() {
    return [](Cell& cell) { cell.set_empty(); };
}
inline std::function<void(Cell&)> text_cell(std::string text) {
    return [text = std::move(text)](Cell& cell) { cell.set(std::string_view(text)); };
}
template <class T>
std::function<void(Cell&)> number_cell(T value) {
    return [value](Cell& cell) { cell.set(value); };
}

// Keeps what is written; refuses from the given byte on.
class StringSink final : public ByteSink {
  public:
    explicit StringSink(size_t limit = std::string::npos) : limit_(limit) {}
    bool write(std::span<const char> bytes) override {
        calls++;
        if (bytes.size() > limit_ - text.size()) return false;
        text.append(bytes.data(), bytes.size());
        return true;
    }
    const Error* error() const override { return nullptr; }

    std::string text;
    size_t calls = 0;

  private:
    size_t limit_;
};

}  // namespace sanscope
