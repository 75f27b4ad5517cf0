// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/models/filter_language.h"

#include <algorithm>
#include <cctype>

#include "gui/models/table_access.h"

#include "analyzer/query/column_names.h"
#include "analyzer/query/lexer.h"

namespace sanscope {
namespace {

bool names_a_column(std::string_view expression, std::span<const ColumnInfo> columns) {
    const Lexed lexed = lex(expression);
    const ColumnNames names(columns);
    return std::ranges::any_of(lexed.tokens, [&](const Token& token) {
        return token.kind == Token::Kind::word && !names.find(token.text).empty();
    });
}

// Whether the expression is rather one over this table than over the best one so far: it names a column of it, is right for
// longer, or what is wrong differs from a name by fewer letters.
bool comes_nearer(const FilterError& error, bool meant, const ColumnFilter& best) {
    if (best.table.empty()) return true;
    if (meant != best.meant) return meant;
    if (error.position != best.error.position) return error.position > best.error.position;
    return error.edits && (!best.error.edits || *error.edits < *best.error.edits);
}

bool is_field_character(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
}

}  // namespace

ColumnFilter read_column_filter(std::string_view expression, std::string_view table) {
    ColumnFilter best;
    for (const TableKind& viewed : table_kinds()) {
        if (table != automatic_filter && viewed.name != table) continue;
        const auto columns = columns_of_table(viewed.name);
        auto compiled = RowFilter::compile(expression, viewed.name, columns);
        if (auto* const filter = std::get_if<RowFilter>(&compiled)) {
            return {viewed.name, std::move(*filter), {}, true};
        }
        const auto& error = std::get<FilterError>(compiled);
        const bool meant = names_a_column(expression, columns);
        if (comes_nearer(error, meant, best)) best = {viewed.name, std::nullopt, error, meant};
    }
    return best;
}

TableCompletion complete_column_filter(std::string_view expression, size_t cursor, std::string_view table) {
    TableCompletion result;
    result.begin = result.end = cursor;
    for (const TableKind& viewed : table_kinds()) {
        if (table != automatic_filter && viewed.name != table) continue;
        const Completion completion = complete(expression, cursor, columns_of_table(viewed.name));
        if (completion.candidates.empty()) continue;
        result.begin = completion.begin;
        result.end = completion.end;
        for (const Candidate& candidate : completion.candidates) {
            const auto same = std::ranges::find_if(result.entries, [&](const TableCompletion::Entry& entry) {
                return entry.candidate.text == candidate.text && entry.candidate.kind == candidate.kind;
            });
            if (same == result.entries.end()) {
                result.entries.push_back({candidate, std::string(viewed.name)});
            } else {
                same->tables.append(", ").append(viewed.name);
            }
        }
    }
    // Each table shows first what begins with the word; so it shall be of all together.
    const std::string_view word =
        expression.substr(result.begin, std::max(cursor, result.begin) - result.begin);
    const std::string plain_word = plain_column_name(word);
    std::stable_partition(
        result.entries.begin(), result.entries.end(), [&](const TableCompletion::Entry& entry) {
            const std::string& text = entry.candidate.text;
            return text.starts_with(word) ||
                   (entry.candidate.kind == Candidate::Kind::column && text.starts_with(plain_word));
        });
    return result;
}

std::string_view field_prefix(std::string_view expression, size_t cursor) {
    cursor = std::min(cursor, expression.size());
    if (std::ranges::count(expression.substr(0, cursor), '"') % 2 != 0) return {};
    size_t begin = cursor;
    while (begin > 0 && is_field_character(expression[begin - 1])) --begin;
    if (begin < cursor && std::isalpha(static_cast<unsigned char>(expression[begin])) == 0) return {};
    return expression.substr(begin, cursor - begin);
}

}  // namespace sanscope
