// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/tables/tables.h"

#include <algorithm>

namespace sanscope {

std::span<const TableInfo> table_infos() {
    static const TableInfo tables[] = {connections_table,    sessions_table,
                                       commands_table,       budgets_table,
                                       pdus_table,           windows_table,
                                       ca_transitions_table, losses_table,
                                       kernel_windows_table, kernel_ca_transitions_table};
    return tables;
}

const TableInfo* find_table(std::string_view name) {
    const auto tables = table_infos();
    const auto found = std::ranges::find(tables, name, &TableInfo::name);
    return found == tables.end() ? nullptr : &*found;
}

}  // namespace sanscope
