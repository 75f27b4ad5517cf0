// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/tables/table.h"

namespace sanscope {

// Something that can stand where the cursor is.
struct Candidate {
    enum class Kind : uint8_t { column, sign, connective, value };
    std::string text;
    Kind kind;
    std::string_view type;         // of a column: "a duration", …; else empty
    std::string_view description;  // one line; as long as the columns, or static
};

struct Completion {
    // The bytes of the expression that a candidate replaces: the word the cursor is in or behind, else nothing.
    size_t begin = 0;
    size_t end = 0;
    // Those that begin with the word up to the cursor first, then those that hold it elsewhere; in the order of the
    // columns, or from the usual to the rare.
    std::vector<Candidate> candidates;
};

// What can go on at `cursor`, a byte offset into `expression`, which need not be complete or right. Only what fits the
// column before: no `contains` of a number, no duration beside a size. No candidates inside quotes, behind an error, or
// where any number may stand.
Completion complete(std::string_view expression, size_t cursor, std::span<const ColumnInfo> columns);

}  // namespace sanscope
