// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "analyzer/query/filter_error.h"
#include "analyzer/tables/table.h"

namespace sanscope {

struct Program;
class PatternMatcher;
class RowTest;

// A filter expression (docs/filter-language.md) made ready for the rows of a table. Immutable: copies share it, and any
// number of threads may use it at once, each with its own RowTest.
class RowFilter {
  public:
    // `table` is the table's name, for messages; `columns` are its columns, whose strings must stay while this runs. A
    // FilterError when the expression is none: it is longer than 64 KiB, nested too deep, compares what cannot be
    // compared, …
    static std::variant<RowFilter, FilterError> compile(std::string_view expression, std::string_view table,
                                                        std::span<const ColumnInfo> columns);

  private:
    friend class RowTest;
    explicit RowFilter(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

    std::shared_ptr<const Program> program_;
};

// Asks a filter about rows; one a thread. Keeps a copy of the filter; the table must outlive it, and have the columns
// the filter was compiled for.
class RowTest {
  public:
    RowTest(const RowFilter& filter, const Table& table);
    RowTest(RowTest&&) noexcept;
    RowTest& operator=(RowTest&&) = delete;
    ~RowTest();

    // Whether the row is selected; `row` < table.rows(). Cells are fetched as they are needed. Allocates nothing.
    bool operator()(size_t row);

    // The same of the rows [first, first + count), count <= most_at_once: a bit each, from the lowest on. Cells of a column
    // are fetched at once where most of the rows are asked for them.
    static constexpr size_t most_at_once = 64;
    uint64_t of_rows(size_t first, size_t count);

    // How often a regular expression was given up because it took too many steps; it then counts as not matching.
    uint64_t given_up() const { return given_up_; }

  private:
    struct Cells;
    struct Numbers;
    uint32_t outcome(uint32_t test, size_t row);
    bool passes(const struct Test& test, size_t row, Cells& cells);
    bool passes(const struct Test& test, const Cell& cell);
    uint64_t passing(const struct Test& test, const Numbers& numbers, size_t count) const;
    uint64_t passing(const struct Test& test, size_t first, size_t count, uint64_t reach);

    std::shared_ptr<const Program> program_;
    const Table& table_;
    std::unique_ptr<PatternMatcher> matcher_;  // where there are patterns
    std::vector<uint64_t> reach_;              // by test, of rows asked for at once: those that come to it
    uint64_t given_up_ = 0;
};

}  // namespace sanscope
