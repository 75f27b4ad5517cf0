// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "analyzer/budget/shared_budgets.h"
#include "analyzer/store/result_store.h"
#include "analyzer/store/stored_rows.h"
#include "analyzer/tables/table.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// What is known of a table before there are rows.
struct TableInfo {
    std::string_view name;
    std::string_view description;  // one line
    std::span<const ColumnInfo> columns;
    ResultStore::Keep keep;  // what the store must keep for its rows to be there
    // The table over what a store holds, which must outlive it.
    std::unique_ptr<Table> (*make)(const ResultStore& store);
};

// All tables, in the order in which a reader wants them.
std::span<const TableInfo> table_infos();

// nullptr for a name that is none.
const TableInfo* find_table(std::string_view name);

// What a store must keep for commands and where their time went.
constexpr ResultStore::Keep keep_for_budgets = [] {
    ResultStore::Keep keep = ResultStore::Keep::only(&ResultStore::Keep::commands);
    keep.losses = true;
    keep.budgets = true;
    return keep;
}();

// Each is in the file of its name.
extern const TableInfo connections_table;
extern const TableInfo sessions_table;
extern const TableInfo commands_table;
extern const TableInfo budgets_table;
extern const TableInfo pdus_table;
extern const TableInfo windows_table;
extern const TableInfo ca_transitions_table;
extern const TableInfo losses_table;
extern const TableInfo kernel_windows_table;
extern const TableInfo kernel_ca_transitions_table;

// The tables over rows that others keep: the rows must outlive the table, and may grow under it.
// `connections` are looked up for addresses; a row whose connection is not among them has none.
std::unique_ptr<Table> make_connections_table(const ChunkedRows<ConnectionRow>& connections);
std::unique_ptr<Table> make_sessions_table(const ChunkedRows<SessionRow>& sessions);
// Without `budgets` their columns are empty.
std::unique_ptr<Table> make_commands_table(const ChunkedRows<CommandRow>& commands,
                                           std::shared_ptr<SharedBudgets> budgets = nullptr);
std::unique_ptr<Table> make_pdus_table(const StoredRows<PduRow>& pdus,
                                       const ChunkedRows<ConnectionRow>& connections);
std::unique_ptr<Table> make_windows_table(const StoredRows<WindowRow>& windows,
                                          const ChunkedRows<ConnectionRow>& connections);
std::unique_ptr<Table> make_ca_transitions_table(const ChunkedRows<CaTransitionRow>& ca_transitions,
                                                 const ChunkedRows<ConnectionRow>& connections);
std::unique_ptr<Table> make_losses_table(const ChunkedRows<LossRow>& losses,
                                         const ChunkedRows<ConnectionRow>& connections);
std::unique_ptr<Table> make_kernel_windows_table(const ChunkedRows<KernelWindowRow>& windows,
                                                 const ChunkedRows<ConnectionRow>& connections);
std::unique_ptr<Table> make_kernel_ca_transitions_table(const ChunkedRows<KernelCaTransitionRow>& transitions,
                                                        const ChunkedRows<ConnectionRow>& connections);

}  // namespace sanscope
