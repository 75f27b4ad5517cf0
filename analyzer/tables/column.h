// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "analyzer/store/stored_rows.h"
#include "analyzer/tables/table.h"
#include "analyzer/tables/tables.h"
#include "analyzer/vocabulary/ip_address.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// Besides the row, what its cells are made of.
struct CellContext {
    uint64_t row_number;
    const ChunkedRows<ConnectionRow>* connections;  // nullptr where no column asks for them

    // nullptr for one that is not among them.
    const ConnectionRow* connection(uint32_t number) const {
        return number == 0 || number > connections->size() ? nullptr : &(*connections)[number - 1];
    }
};

// Rows of a table's that lie behind each other, from that of index `first` on, and what their cells are made of.
template <class Row>
struct RowRange {
    std::span<const Row> rows;
    const ChunkedRows<ConnectionRow>* connections;
    size_t first;

    template <class Visitor>
    void visit(Visitor&& visitor) const {
        for (size_t i = 0; i < rows.size(); i++) visitor(i, rows[i], CellContext{first + i + 1, connections});
    }
};

// A column is described and its value fetched in one place, so that the two cannot drift apart. Fetched by an object without
// state, which is compiled into the loops over many rows, or by a function, which is called for each.
template <class Row>
struct Column {
    using Get = void (*)(const Row& row, const CellContext& context, Cell& cell);

    template <class Fetch>
    constexpr Column(std::string_view column_name, ColumnType column_type, std::string_view of, Fetch fetch)
        : name(column_name),
          type(column_type),
          description(of),
          get(fetch),
          numbers(read_numbers<Fetch>),
          cells(read_cells<Fetch>) {}
    constexpr Column(std::string_view column_name, ColumnType column_type, std::string_view of, Get fetch)
        : name(column_name),
          type(column_type),
          description(of),
          get(fetch),
          numbers(nullptr),
          cells(nullptr) {}

    void read(const RowRange<Row>& range, const NumberSlice& slice) const {
        if (numbers != nullptr) return numbers(range, slice);
        Cell cell;
        range.visit([&](size_t i, const Row& row, const CellContext& context) {
            get(row, context, cell);
            slice.set(i, cell);
        });
    }
    void read(const RowRange<Row>& range, std::span<Cell> into) const {
        if (cells != nullptr) return cells(range, into);
        range.visit(
            [&](size_t i, const Row& row, const CellContext& context) { get(row, context, into[i]); });
    }

    std::string_view name;
    ColumnType type;
    std::string_view description;
    Get get;

  private:
    template <class Fetch>
    static void read_numbers(const RowRange<Row>& range, const NumberSlice& slice) {
        range.visit([&](size_t i, const Row& row, const CellContext& context) {
            Cell cell;
            Fetch()(row, context, cell);
            slice.set(i, cell);
        });
    }
    template <class Fetch>
    static void read_cells(const RowRange<Row>& range, std::span<Cell> into) {
        range.visit(
            [&](size_t i, const Row& row, const CellContext& context) { Fetch()(row, context, into[i]); });
    }

    void (*numbers)(const RowRange<Row>&, const NumberSlice&);
    void (*cells)(const RowRange<Row>&, std::span<Cell>);
};

template <class Row, size_t size>
constexpr std::array<ColumnInfo, size> column_infos(const Column<Row> (&columns)[size]) {
    std::array<ColumnInfo, size> result{};
    for (size_t i = 0; i < size; i++) result[i] = {columns[i].name, columns[i].type, columns[i].description};
    return result;
}

// Calls `read(range, begin)` for the rows [first, first + count) of those in a store, as many at once as the caches hold: `begin`
// of these rows came before.
template <class Row, class Read>
void for_each_range(const StoredRows<Row>& rows, const ChunkedRows<ConnectionRow>* connections, size_t first,
                    size_t count, Read read) {
    constexpr size_t rows_at_once = 64;
    for (size_t begin = 0; begin < count; begin += rows_at_once) {
        rows.for_each_run(first + begin, std::min(rows_at_once, count - begin),
                          [&](std::span<const Row> run, size_t at) {
                              read(RowRange<Row>{run, connections, at}, at - first);
                          });
    }
}

// As Table::numbers(), of rows that stand in a store.
template <class Row>
void read_numbers(std::span<const Column<Row>> columns, const StoredRows<Row>& rows,
                  const ChunkedRows<ConnectionRow>* connections, size_t first, size_t count,
                  std::span<const NumberSlice> slices) {
    for_each_range<Row>(rows, connections, first, count, [&](const RowRange<Row>& range, size_t begin) {
        for (const NumberSlice& slice : slices)
            columns[slice.column].read(range, {slice.column, slice.values + begin, slice.known + begin});
    });
}

// As Table::cells(), likewise.
template <class Row>
void read_cells(const Column<Row>& column, const StoredRows<Row>& rows,
                const ChunkedRows<ConnectionRow>* connections, size_t first, std::span<Cell> cells) {
    for_each_range<Row>(rows, connections, first, cells.size(),
                        [&](const RowRange<Row>& range, size_t begin) {
                            column.read(range, cells.subspan(begin, range.rows.size()));
                        });
}

// A table whose rows stand in a store: how all tables are made.
template <class Row>
class RowsTable final : public Table {
  public:
    RowsTable(const TableInfo& info, std::span<const Column<Row>> columns, const StoredRows<Row>& rows,
              const ChunkedRows<ConnectionRow>* connections = nullptr)
        : info_(info), columns_(columns), rows_(rows), connections_(connections) {}

    std::string_view name() const override { return info_.name; }
    std::span<const ColumnInfo> columns() const override { return info_.columns; }
    size_t rows() const override { return rows_.size(); }
    void cell(size_t row, size_t column, Cell& cell) const override {
        columns_[column].get(rows_[row], {row + 1, connections_}, cell);
    }
    void numbers(size_t first, size_t count, std::span<const NumberSlice> slices) const override {
        read_numbers<Row>(columns_, rows_, connections_, first, count, slices);
    }
    void cells(size_t column, size_t first, std::span<Cell> cells) const override {
        read_cells<Row>(columns_[column], rows_, connections_, first, cells);
    }
    void row_cells(size_t first, std::span<Cell> cells) const override {
        for_each_range<Row>(rows_, connections_, first, cells.size() / columns_.size(),
                            [&](const RowRange<Row>& range, size_t begin) {
                                Cell* next = &cells[begin * columns_.size()];
                                range.visit([&](size_t, const Row& row, const CellContext& context) {
                                    for (const Column<Row>& column : columns_)
                                        column.get(row, context, *next++);
                                });
                            });
    }

  private:
    const TableInfo& info_;
    std::span<const Column<Row>> columns_;
    const StoredRows<Row>& rows_;
    const ChunkedRows<ConnectionRow>* connections_;
};

// How a member becomes a cell; each kind has its own value for unknown (vocabulary/rows.h).
namespace column {

constexpr ColumnType integer_column = ColumnType::integer;
constexpr ColumnType unsigned_column = ColumnType::unsigned_integer;
constexpr ColumnType text_column = ColumnType::text;
constexpr ColumnType boolean_column = ColumnType::boolean;

inline constexpr auto row_number = []<class Row>(const Row&, const CellContext& context, Cell& cell) {
    cell.set(context.row_number);
};

// A number that is always known.
template <auto member>
constexpr auto count =
    []<class Row>(const Row& row, const CellContext&, Cell& cell) { cell.set(uint64_t{row.*member}); };

// The number of a packet or of another table's row.
template <auto member>
constexpr auto number = []<class Row>(const Row& row, const CellContext&, Cell& cell) {
    const uint64_t value = row.*member;
    if (value == 0) return cell.set_empty();
    cell.set(value);
};

template <auto member>
constexpr auto time = []<class Row>(const Row& row, const CellContext&, Cell& cell) {
    const int64_t value = row.*member;
    if (value == no_time) return cell.set_empty();
    cell.set(value);
};

template <auto member>
constexpr auto value = []<class Row>(const Row& row, const CellContext&, Cell& cell) {
    const uint64_t v = row.*member;
    if (row.*member == unknown<std::remove_cvref_t<decltype(row.*member)>>) return cell.set_empty();
    cell.set(v);
};

template <auto member>
constexpr auto text = []<class Row>(const Row& row, const CellContext&, Cell& cell) {
    cell.set(std::string_view(row.*member));
};

template <auto member>
constexpr auto boolean =
    []<class Row>(const Row& row, const CellContext&, Cell& cell) { cell.set(bool{row.*member}); };

// The word for a value of an enumeration; an empty one where it stands for unknown.
template <auto member, const auto& names>
constexpr auto word = []<class Row>(const Row& row, const CellContext&, Cell& cell) {
    cell.set(std::string_view(names[static_cast<size_t>(row.*member)]));
};

inline void set_hexadecimal(Cell& cell, uint64_t number, size_t digits) {
    constexpr std::string_view digit = "0123456789abcdef";
    cell.buffer[0] = '0';
    cell.buffer[1] = 'x';
    for (size_t i = digits; i > 0; i--, number >>= 4) cell.buffer[1 + i] = digit[number & 15];
    cell.set(std::string_view(cell.buffer, 2 + digits));
}

// A known number in so many hexadecimal digits.
template <auto member, size_t digits>
constexpr auto hexadecimal = []<class Row>(const Row& row, const CellContext&, Cell& cell) {
    set_hexadecimal(cell, row.*member, digits);
};

template <auto member, size_t digits>
constexpr auto hexadecimal_value = []<class Row>(const Row& row, const CellContext&, Cell& cell) {
    if (row.*member == unknown<std::remove_cvref_t<decltype(row.*member)>>) return cell.set_empty();
    set_hexadecimal(cell, row.*member, digits);
};

inline void set_endpoint(Cell& cell, const Endpoint& endpoint) {
    static_assert(sizeof cell.buffer >= max_endpoint_text);
    cell.set(format_endpoint(endpoint.address, endpoint.port,
                             std::span<char, max_endpoint_text>(cell.buffer, max_endpoint_text)));
}

template <auto member>
constexpr auto endpoint =
    []<class Row>(const Row& row, const CellContext&, Cell& cell) { set_endpoint(cell, row.*member); };

// The end of its connection whose data a row with `connection` and `sender` is about, and the other one.
inline constexpr auto sender = []<class Row>(const Row& row, const CellContext& context, Cell& cell) {
    const ConnectionRow* connection = context.connection(row.connection);
    if (connection == nullptr) return cell.set_empty();
    set_endpoint(cell, connection->endpoint(row.sender));
};

inline constexpr auto receiver = []<class Row>(const Row& row, const CellContext& context, Cell& cell) {
    const ConnectionRow* connection = context.connection(row.connection);
    if (connection == nullptr) return cell.set_empty();
    set_endpoint(cell, connection->endpoint(other_side(row.sender)));
};

}  // namespace column
}  // namespace sanscope
