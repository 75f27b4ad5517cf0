// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/tables/findings_table.h"

#include "analyzer/tables/column.h"

namespace sanscope {
namespace {

using namespace column;

constexpr Column<FindingRow> columns[] = {
    {"kind", text_column, "Name of its kind, which does not change: zero_window_stall",
     text<&FindingRow::kind>},
    {"severity", text_column, "problem (two independent signs at least), notice or information",
     text<&FindingRow::severity>},
    {"title", text_column, "In one line", text<&FindingRow::title>},
    {"explanation", text_column, "What it means, and what to look at or change",
     text<&FindingRow::explanation>},
    {"evidence", text_column, "The signs that show it, separated by semicolons", text<&FindingRow::evidence>},
    {"cost_ns", integer_column, "Estimate of the time lost to it, nanoseconds; empty where nobody can tell",
     time<&FindingRow::cost_ns>},
    {"confidence", text_column, "firm, likely or possible", text<&FindingRow::confidence>},
    {"place", text_column, "What it is about: a connection, session or logical unit",
     text<&FindingRow::place>},
    {"side", text_column,
     "Where it is to be mended: initiator, target, path, both or capture; empty: nowhere",
     text<&FindingRow::side>},
    {"sender", text_column, "Whose data it is about: initiator or target", text<&FindingRow::sender>},
    {"connection", unsigned_column, "Row of the TCP connection in `connections`",
     number<&FindingRow::connection>},
    {"session", unsigned_column, "Row of the session in `sessions`", number<&FindingRow::session>},
    {"lun", unsigned_column, "Logical unit number", value<&FindingRow::lun>},
    {"command", unsigned_column, "Row in `commands` of the command that shows it best",
     number<&FindingRow::command>},
    {"packet", unsigned_column, "Packet that shows it best", number<&FindingRow::packet>},
    {"begin_ns", integer_column, "Beginning of the time that shows it best, nanoseconds since the epoch",
     time<&FindingRow::begin_ns>},
    {"end_ns", integer_column, "End of that time, nanoseconds since the epoch", time<&FindingRow::end_ns>},
};
constexpr auto infos = column_infos(columns);

}  // namespace

const TableInfo findings_table = {"findings",
                                  "What is wrong, and what shows it, the most important first; one row each",
                                  infos, ResultStore::Keep::everything(), nullptr};

std::unique_ptr<Table> make_findings_table(const ChunkedRows<FindingRow>& findings) {
    return std::make_unique<RowsTable<FindingRow>>(findings_table, columns, findings);
}

}  // namespace sanscope
