// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analyzer/query/filter_error.h"
#include "analyzer/query/program.h"
#include "analyzer/tables/table.h"

namespace sanscope {

// An expression as it was written, but for parentheses. Inside the library only.
struct Node {
    enum class Kind : uint8_t { test, all, any, negation };
    Kind kind = Kind::test;
    std::vector<Node> parts;  // not of a test
    Test test;                // without its successors
};

// The operands that tests number are appended to those of `program`. Nothing after an error.
std::optional<Node> parse(std::string_view expression, std::string_view table,
                          std::span<const ColumnInfo> columns, Program& program, FilterError& error);

}  // namespace sanscope
