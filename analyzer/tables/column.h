// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "analyzer/store/chunked_rows.h"
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

// A column is described and its value fetched in one place, so that the two cannot drift apart.
template <class Row>
struct Column {
    std::string_view name;
    ColumnType type;
    std::string_view description;
    void (*get)(const Row& row, const CellContext& context, Cell& cell);
};

template <class Row, size_t size>
constexpr std::array<ColumnInfo, size> column_infos(const Column<Row> (&columns)[size]) {
    std::array<ColumnInfo, size> result{};
    for (size_t i = 0; i < size; i++) result[i] = {columns[i].name, columns[i].type, columns[i].description};
    return result;
}

// A table whose rows stand in a store: how all tables are made.
template <class Row>
class RowsTable final : public Table {
  public:
    RowsTable(const TableInfo& info, std::span<const Column<Row>> columns, const ChunkedRows<Row>& rows,
              const ChunkedRows<ConnectionRow>* connections = nullptr)
        : info_(info), columns_(columns), rows_(rows), connections_(connections) {}

    std::string_view name() const override { return info_.name; }
    std::span<const ColumnInfo> columns() const override { return info_.columns; }
    size_t rows() const override { return rows_.size(); }
    void cell(size_t row, size_t column, Cell& cell) const override {
        columns_[column].get(rows_[row], {row + 1, connections_}, cell);
    }

  private:
    const TableInfo& info_;
    std::span<const Column<Row>> columns_;
    const ChunkedRows<Row>& rows_;
    const ChunkedRows<ConnectionRow>* connections_;
};

// How a member becomes a cell; each kind has its own value for unknown (vocabulary/rows.h).
namespace column {

constexpr ColumnType integer_column = ColumnType::integer;
constexpr ColumnType unsigned_column = ColumnType::unsigned_integer;
constexpr ColumnType text_column = ColumnType::text;
constexpr ColumnType boolean_column = ColumnType::boolean;

template <class Row>
void row_number(const Row&, const CellContext& context, Cell& cell) {
    cell.set(context.row_number);
}

// A number that is always known.
template <auto member, class Row>
void count(const Row& row, const CellContext&, Cell& cell) {
    cell.set(uint64_t{row.*member});
}

// The number of a packet or of another table's row.
template <auto member, class Row>
void number(const Row& row, const CellContext&, Cell& cell) {
    const uint64_t value = row.*member;
    if (value == 0) return cell.set_empty();
    cell.set(value);
}

template <auto member, class Row>
void time(const Row& row, const CellContext&, Cell& cell) {
    const int64_t value = row.*member;
    if (value == no_time) return cell.set_empty();
    cell.set(value);
}

template <auto member, class Row>
void value(const Row& row, const CellContext&, Cell& cell) {
    const uint64_t v = row.*member;
    if (row.*member == unknown<std::remove_cvref_t<decltype(row.*member)>>) return cell.set_empty();
    cell.set(v);
}

template <auto member, class Row>
void text(const Row& row, const CellContext&, Cell& cell) {
    cell.set(std::string_view(row.*member));
}

template <auto member, class Row>
void boolean(const Row& row, const CellContext&, Cell& cell) {
    cell.set(bool{row.*member});
}

// The word for a value of an enumeration; an empty one where it stands for unknown.
template <auto member, const auto& names, class Row>
void word(const Row& row, const CellContext&, Cell& cell) {
    cell.set(std::string_view(names[static_cast<size_t>(row.*member)]));
}

inline void set_hexadecimal(Cell& cell, uint64_t number, size_t digits) {
    constexpr std::string_view digit = "0123456789abcdef";
    cell.buffer[0] = '0';
    cell.buffer[1] = 'x';
    for (size_t i = digits; i > 0; i--, number >>= 4) cell.buffer[1 + i] = digit[number & 15];
    cell.set(std::string_view(cell.buffer, 2 + digits));
}

// A known number in so many hexadecimal digits.
template <auto member, size_t digits, class Row>
void hexadecimal(const Row& row, const CellContext&, Cell& cell) {
    set_hexadecimal(cell, row.*member, digits);
}

template <auto member, size_t digits, class Row>
void hexadecimal_value(const Row& row, const CellContext&, Cell& cell) {
    if (row.*member == unknown<std::remove_cvref_t<decltype(row.*member)>>) return cell.set_empty();
    set_hexadecimal(cell, row.*member, digits);
}

inline void set_endpoint(Cell& cell, const Endpoint& endpoint) {
    static_assert(sizeof cell.buffer >= max_endpoint_text);
    cell.set(format_endpoint(endpoint.address, endpoint.port,
                             std::span<char, max_endpoint_text>(cell.buffer, max_endpoint_text)));
}

template <auto member, class Row>
void endpoint(const Row& row, const CellContext&, Cell& cell) {
    set_endpoint(cell, row.*member);
}

// The end of its connection whose data a row with `connection` and `sender` is about, and the other one.
template <class Row>
void sender(const Row& row, const CellContext& context, Cell& cell) {
    const ConnectionRow* connection = context.connection(row.connection);
    if (connection == nullptr) return cell.set_empty();
    set_endpoint(cell, connection->endpoint(row.sender));
}

template <class Row>
void receiver(const Row& row, const CellContext& context, Cell& cell) {
    const ConnectionRow* connection = context.connection(row.connection);
    if (connection == nullptr) return cell.set_empty();
    set_endpoint(cell, connection->endpoint(other_side(row.sender)));
}

}  // namespace column
}  // namespace sanscope
