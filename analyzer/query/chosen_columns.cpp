// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/chosen_columns.h"

#include <algorithm>
#include <fmt/format.h>

#include "analyzer/query/column_names.h"

namespace sanscope {

Result<std::vector<size_t>> columns_by_name(std::string_view names, std::string_view table,
                                            std::span<const ColumnInfo> columns) {
    const ColumnNames known(columns);
    std::vector<size_t> chosen;
    for (bool more = true; more;) {
        const size_t comma = names.find(',');
        const std::string_view name = names.substr(0, comma);
        more = comma != std::string_view::npos;
        if (more) names.remove_prefix(comma + 1);
        const std::vector<size_t> found = known.find(name);
        if (found.empty()) {
            const auto near = known.near(name);
            return Error{
                fmt::format("no column \"{}\" in {}{}", name, table,
                            near.empty() ? "" : fmt::format("; did you mean {}?", near.front().name))};
        }
        if (found.size() > 1) {
            return Error{
                fmt::format("\"{}\" may be {} or {}", name, columns[found[0]].name, columns[found[1]].name)};
        }
        if (std::ranges::find(chosen, found.front()) != chosen.end())
            return Error{fmt::format("column {} is named twice", columns[found.front()].name)};
        chosen.push_back(found.front());
    }
    return chosen;
}

ChosenColumns::ChosenColumns(const Table& table, std::vector<size_t> columns)
    : table_(table), columns_(std::move(columns)) {
    infos_.reserve(columns_.size());
    for (const size_t column : columns_) infos_.push_back(table.columns()[column]);
}

void ChosenColumns::numbers(size_t first, size_t count, std::span<const NumberSlice> slices) const {
    std::vector<NumberSlice> of_table(slices.begin(), slices.end());
    for (NumberSlice& slice : of_table) slice.column = columns_[slice.column];
    table_.numbers(first, count, of_table);
}

}  // namespace sanscope
