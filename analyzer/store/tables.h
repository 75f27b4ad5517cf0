// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "analyzer/store/chunked_rows.h"
#include "analyzer/store/rows.h"
#include "analyzer/store/table.h"

namespace sanscope {

// What is known of a table before there are rows.
struct TableInfo {
    std::string_view name;
    std::string_view description;  // one line
    std::span<const ColumnInfo> columns;
};

// All tables, in the order in which a reader wants them: connections, sessions, commands, pdus.
std::span<const TableInfo> table_infos();

// The tables over rows that others keep: the rows must outlive the table, and may grow under it.
// `connections` of the PDUs are looked up for the sender's address; a PDU whose connection is not among them
// has none.
std::unique_ptr<Table> make_connections_table(const ChunkedRows<ConnectionRow>& connections);
std::unique_ptr<Table> make_sessions_table(const ChunkedRows<SessionRow>& sessions);
std::unique_ptr<Table> make_commands_table(const ChunkedRows<CommandRow>& commands);
std::unique_ptr<Table> make_pdus_table(const ChunkedRows<PduRow>& pdus,
                                       const ChunkedRows<ConnectionRow>& connections);

}  // namespace sanscope
