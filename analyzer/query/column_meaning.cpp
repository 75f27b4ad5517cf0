// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/column_meaning.h"

#include <algorithm>
#include <array>

namespace sanscope {
namespace {

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

bool is_word(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    });
}

}  // namespace

Meaning meaning_of(const ColumnInfo& column) {
    const std::string_view description = column.description;
    if (column.type == ColumnType::boolean) return Meaning::boolean;
    if (column.type == ColumnType::text) {
        return contains(description, "0x and ") && contains(description, " hexadecimal digits")
                   ? Meaning::hexadecimal
                   : Meaning::text;
    }
    if (column.name.ends_with("_ns")) {
        return contains(description, "nanoseconds since the epoch") ? Meaning::moment : Meaning::duration;
    }
    const bool bytes = description.starts_with("Bytes ") || description.ends_with("many bytes") ||
                       contains(description, ", bytes");
    return bytes ? Meaning::bytes : Meaning::number;
}

std::string_view name_of(Meaning meaning) {
    constexpr std::array<std::string_view, 7> names = {"a number",     "a size in bytes",      "a duration",
                                                       "a moment",     "a hexadecimal number", "text",
                                                       "true or false"};
    return names[static_cast<size_t>(meaning)];
}

std::vector<std::string_view> known_words(const ColumnInfo& column) {
    if (column.type != ColumnType::text) return {};
    std::string_view list = column.description;
    list = list.substr(0, list.find(';'));
    if (const size_t colon = list.rfind(": "); colon != std::string_view::npos) list.remove_prefix(colon + 2);
    std::vector<std::string_view> words;
    const auto add = [&](std::string_view word) {
        words.push_back(word);
        return is_word(word);
    };
    const size_t last = list.rfind(" or ");
    if (last == std::string_view::npos) return {};
    std::string_view front = list.substr(0, last);
    while (true) {
        const size_t comma = front.find(", ");
        if (!add(front.substr(0, comma))) return {};
        if (comma == std::string_view::npos) break;
        front.remove_prefix(comma + 2);
    }
    if (!add(list.substr(last + 4))) return {};
    return words;
}

std::optional<size_t> find_column(std::span<const ColumnInfo> columns, std::string_view name) {
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [&](const ColumnInfo& column) { return column.name == name; });
    if (found == columns.end()) return std::nullopt;
    return static_cast<size_t>(found - columns.begin());
}

}  // namespace sanscope
