// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/arrow/arrow_field.h"

#include <algorithm>

#include "analyzer/query/column_meaning.h"

namespace sanscope {
namespace {

// Sentences of findings; what names a capture.
constexpr std::string_view prose[] = {"title", "explanation",   "evidence",     "place",
                                      "file",  "finding_title", "target_names", "damage"};

// Numbers of this many digits tell rows apart: task tags. Shorter ones are codes.
bool is_long_hexadecimal(std::string_view description) {
    return description.find("0x and 8 hexadecimal digits") != std::string_view::npos ||
           description.find("0x and 12 hexadecimal digits") != std::string_view::npos ||
           description.find("0x and 16 hexadecimal digits") != std::string_view::npos;
}

ArrowType type_of(const ColumnInfo& column) {
    switch (meaning_of(column)) {
        case Meaning::moment:
            return ArrowType::timestamp;
        case Meaning::duration:
            return ArrowType::duration;
        case Meaning::boolean:
            return ArrowType::boolean;
        case Meaning::hexadecimal:
            return is_long_hexadecimal(column.description) ? ArrowType::utf8 : ArrowType::dictionary;
        case Meaning::text:
            return std::ranges::find(prose, column.name) != std::end(prose) ? ArrowType::utf8
                                                                            : ArrowType::dictionary;
        case Meaning::number:
        case Meaning::bytes:
            break;
    }
    return column.type == ColumnType::integer ? ArrowType::int64 : ArrowType::uint64;
}

}  // namespace

ArrowField arrow_field(const ColumnInfo& column) {
    return {column.name, column.description, type_of(column)};
}

}  // namespace sanscope
