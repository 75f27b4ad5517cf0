// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

#include "analyzer/tables/table.h"

namespace sanscope {

// What a column is in Arrow. The same for every capture, so that files of many captures have one schema.
enum class ArrowType : uint8_t {
    int64,
    uint64,
    boolean,
    timestamp,   // timestamp[ns, UTC]
    duration,    // duration[ns]
    utf8,        // text of which hardly two rows have the same
    dictionary,  // text as an int32 index into the words that were used
};

struct ArrowField {
    std::string_view name;
    std::string_view description;
    ArrowType type;
};

// Of a column of a table, every one of which may be empty: null.
ArrowField arrow_field(const ColumnInfo& column);

}  // namespace sanscope
