// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/column_names.h"

#include <algorithm>
#include <array>

#include "analyzer/query/column_header.h"
#include "analyzer/query/spelling.h"

namespace sanscope {
namespace {

constexpr size_t most_suggestions = 3;

// Dots and colons stand within Wireshark's fields and within addresses, which are no names of columns.
bool belongs_to_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '.' || c == ':' ||
           static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

std::string plain_column_name(std::string_view text) {
    std::string plain;
    bool between = false;
    for (const char letter : text) {
        const char c = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
        if (!belongs_to_word(c)) {
            between = true;
            continue;
        }
        if (between && !plain.empty()) plain += '_';
        between = false;
        plain += c;
    }
    return plain;
}

ColumnNames::ColumnNames(std::span<const ColumnInfo> columns) {
    columns_.reserve(columns.size());
    for (const ColumnInfo& column : columns) {
        columns_.push_back(
            {column.name, plain_column_name(column.name), plain_column_name(column_header(column))});
    }
}

std::vector<size_t> ColumnNames::find(std::string_view word) const {
    const auto exact = std::find_if(columns_.begin(), columns_.end(),
                                    [&](const Names& column) { return column.name == word; });
    if (exact != columns_.end()) return {static_cast<size_t>(exact - columns_.begin())};
    std::vector<size_t> found;
    const std::string plain = plain_column_name(word);
    if (plain.empty()) return found;
    for (size_t i = 0; i < columns_.size(); ++i) {
        if (columns_[i].plain_name == plain || columns_[i].plain_header == plain) found.push_back(i);
    }
    return found;
}

std::vector<ColumnNames::Suggestion> ColumnNames::near(std::string_view word) const {
    const std::string plain = plain_column_name(word);
    std::vector<Suggestion> suggestions;
    for (const Names& column : columns_) {
        const std::array<std::string_view, 2> names = {column.name, column.plain_header};
        const std::vector<NearWord> nearest = near_words(plain, names);
        if (!nearest.empty()) suggestions.push_back({nearest.front().word, nearest.front().edits});
    }
    std::stable_sort(suggestions.begin(), suggestions.end(),
                     [](const Suggestion& a, const Suggestion& b) { return a.edits < b.edits; });
    // What is farther than the nearest by more than a letter was hardly meant.
    while (suggestions.size() > most_suggestions ||
           (!suggestions.empty() && suggestions.back().edits > suggestions.front().edits + 1)) {
        suggestions.pop_back();
    }
    return suggestions;
}

}  // namespace sanscope
