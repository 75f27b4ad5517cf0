// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace sanscope {

enum class ColumnType : uint8_t {
    integer,           // int64
    unsigned_integer,  // uint64
    text,
    boolean,
};

struct ColumnInfo {
    std::string_view name;  // as in the contract; never renamed
    ColumnType type;
    std::string_view description;  // one line with the unit, for --help, the schema page and tooltips
};

// One value of a table. Text lives in static storage, in the table, or in this cell's own `buffer`.
struct Cell {
    enum class Kind : uint8_t { empty, integer, unsigned_integer, text, boolean };
    Kind kind = Kind::empty;
    union {
        int64_t integer;
        uint64_t unsigned_integer = 0;
        bool boolean;
    };
    std::string_view text;
    char buffer[64];

    void set_empty() { kind = Kind::empty; }
    void set(int64_t v) {
        kind = Kind::integer;
        integer = v;
    }
    void set(uint64_t v) {
        kind = Kind::unsigned_integer;
        unsigned_integer = v;
    }
    void set(bool v) {
        kind = Kind::boolean;
        boolean = v;
    }
    // Empty text is an empty cell.
    void set(std::string_view v) {
        kind = v.empty() ? Kind::empty : Kind::text;
        text = v;
    }
};

// Room for the cells of a column, not one of text, in consecutive rows.
struct NumberSlice {
    size_t column;
    uint64_t*
        values;      // a negative number as two's complement, a boolean as 0 or 1, 0 where the cell is empty
    uint8_t* known;  // 0 where the cell is empty, else 1

    void set(size_t index, const Cell& cell) const {
        known[index] = cell.kind != Cell::Kind::empty ? 1 : 0;
        switch (cell.kind) {
            case Cell::Kind::integer:
                values[index] = static_cast<uint64_t>(cell.integer);
                return;
            case Cell::Kind::unsigned_integer:
                values[index] = cell.unsigned_integer;
                return;
            case Cell::Kind::boolean:
                values[index] = cell.boolean ? 1 : 0;
                return;
            case Cell::Kind::empty:
            case Cell::Kind::text:
                values[index] = 0;
        }
    }
};

// A table as exporters, filters and views see it: columns by number, cells made when asked for.
class Table {
  public:
    virtual ~Table() = default;
    virtual std::string_view name() const = 0;
    virtual std::span<const ColumnInfo> columns() const = 0;
    virtual size_t rows() const = 0;
    // `row` < rows(), `column` < columns().size(). Overwrites `cell`.
    virtual void cell(size_t row, size_t column, Cell& cell) const = 0;
    // Many cells at once: of rows [first, first + count), which are there, into slices that have room for them.
    virtual void numbers(size_t first, size_t count, std::span<const NumberSlice> slices) const;
    // Cells of one column, of rows from `first` on; all are overwritten.
    virtual void cells(size_t column, size_t first, std::span<Cell> cells) const;
    // All cells of rows from `first` on, row by row; all are overwritten. Their number is a multiple of the columns'.
    virtual void row_cells(size_t first, std::span<Cell> cells) const;
};

}  // namespace sanscope
