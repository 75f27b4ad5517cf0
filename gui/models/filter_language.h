// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/query/completion.h"
#include "analyzer/query/filter_error.h"
#include "analyzer/query/row_filter.h"

namespace sanscope {

// A filter is an expression over the columns of one of our tables, or a Wireshark display filter.
constexpr std::string_view automatic_filter = "auto";
constexpr std::string_view wireshark_filter = "wireshark";

// An expression read as one over our columns.
struct ColumnFilter {
    std::string_view table;           // that takes it; else the one it comes nearest to
    std::optional<RowFilter> filter;  // nothing where no table takes it
    FilterError error;                // then
    bool meant = false;               // it names a column of that table all the same
};

// `table`: one of table_kinds(), or `automatic_filter`: the first that takes it.
ColumnFilter read_column_filter(std::string_view expression, std::string_view table);

// What can stand at the cursor, over the columns of that table or (automatic) of all that take what is before it. Candidates
// that several tables have are reported once.
struct TableCompletion {
    size_t begin = 0;  // bytes of the expression that a candidate replaces
    size_t end = 0;
    struct Entry {
        Candidate candidate;
        std::string tables;  // of a column: whose, "commands, pdus"
    };
    std::vector<Entry> entries;
};
TableCompletion complete_column_filter(std::string_view expression, size_t cursor, std::string_view table);

// The word of a Wireshark display filter that the cursor is behind, [begin, cursor); empty where no field can be there.
std::string_view field_prefix(std::string_view expression, size_t cursor);

}  // namespace sanscope
