// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/time_budgets/parts_picture.h"

#include <algorithm>

namespace sanscope {
namespace {

// Most of them between the first and the last that have commands have none.
bool sparse(const std::vector<PartsColumn>& columns) {
    const auto filled = [](const PartsColumn& column) { return column.commands > 0; };
    const auto first = std::ranges::find_if(columns, filled);
    const auto last = std::find_if(columns.rbegin(), columns.rend(), filled).base();
    return first < last && 2 * std::count_if(first, last, filled) < last - first;
}

std::vector<PartsColumn> in_pairs(const std::vector<PartsColumn>& columns) {
    std::vector<PartsColumn> pairs((columns.size() + 1) / 2);
    for (size_t i = 0; i < columns.size(); ++i) pairs[i / 2].add(columns[i]);
    return pairs;
}

}  // namespace

void PartsColumn::add(const PartsColumn& other) {
    commands += other.commands;
    for (size_t part = 0; part < budget_parts; ++part) {
        sums[part] = saturated_sum(sums[part], other.sums[part]);
        if (other.most_ns[part] <= most_ns[part]) continue;
        most_ns[part] = other.most_ns[part];
        worst[part] = other.worst[part];
    }
}

size_t PartsPicture::column_at(int64_t time_ns) const {
    if (!prepared.range.contains(time_ns)) return columns.size();
    return std::min(columns.size(), static_cast<size_t>((time_ns - prepared.range.begin_ns) / column_ns));
}

PartsPicture prepare_parts(const CaptureData::Reading& reading, const CommandParts& parts,
                           const ConnectionChooser::Scope& scope, const PreparedRange& prepared,
                           const FilterResult* filter) {
    const auto& commands = reading.store().commands();
    const bool everybody = scope.kind == ConnectionChooser::Scope::Kind::all;
    PartsPicture picture;
    picture.prepared = prepared;
    picture.known = true;
    picture.sums = parts.sums();
    picture.commands_anywhere = parts.items().size();
    const size_t first = parts.first_at(prepared.range.begin_ns);
    const size_t last = parts.first_at(prepared.range.end_ns);
    picture.column_ns = prepared.ns_per_column * fewest_in_one;
    picture.columns.resize((prepared.columns() + fewest_in_one - 1) / fewest_in_one);
    for (size_t i = first; i < last; ++i) {
        const CommandParts::Item& item = parts.items()[i];
        if (filter != nullptr && !filter->rows.commands.test(item.row)) continue;
        if (!everybody && !holds(scope, commands[item.row])) continue;
        PartsColumn& column = picture.columns[picture.column_at(item.end_ns)];
        ++column.commands;
        parts.parts_of(item, [&](size_t part, int64_t ns) {
            column.sums[part] = saturated_sum(column.sums[part], ns);
            if (ns <= column.most_ns[part]) return;
            column.most_ns[part] = ns;
            column.worst[part] = item.row;
        });
    }
    while (picture.column_ns < prepared.ns_per_column * most_in_one && sparse(picture.columns)) {
        picture.column_ns *= 2;
        picture.columns = in_pairs(picture.columns);
    }
    return picture;
}

}  // namespace sanscope
