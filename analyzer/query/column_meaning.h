// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analyzer/tables/table.h"

namespace sanscope {

// What the values of a column are, beyond their type: which literals can stand beside it.
enum class Meaning : uint8_t {
    number,       // a count, or the number of something
    bytes,        // a size
    duration,     // nanoseconds
    moment,       // nanoseconds since the epoch
    hexadecimal,  // a number written as text: 0x28
    text,
    boolean,
};

// Read from a column's name and description, which have fixed forms: `…_ns`, "since the epoch", "0x and 2 hexadecimal
// digits", ", bytes". column_meaning_test.cpp holds what comes of it for every column of every table.
Meaning meaning_of(const ColumnInfo& column);

// For messages: "a number", "a duration", …
std::string_view name_of(Meaning meaning);

// All words that a text column can hold, where its description lists them ("completed, unanswered, aborted or
// response_only"); none where any text may stand in it.
std::vector<std::string_view> known_words(const ColumnInfo& column);

// The number of the column of that name; nothing where there is none.
std::optional<size_t> find_column(std::span<const ColumnInfo> columns, std::string_view name);

}  // namespace sanscope
