// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/tables/column.h"
#include "analyzer/tables/tables.h"
#include "analyzer/vocabulary/sender_names.h"

namespace sanscope {
namespace {

using namespace column;

// Nobody can tell the states of a sender whose connection is not judged; the row says that acknowledgements showed something.
template <auto fetch>
constexpr auto judged = [](const CaTransitionRow& row, const CellContext& context, Cell& cell) {
    const ConnectionRow* const connection = context.connection(row.connection);
    if (connection != nullptr && !connection->tcp_is_judged()) return cell.set_empty();
    fetch(row, context, cell);
};

constexpr Column<CaTransitionRow> columns[] = {
    {"connection", unsigned_column, "Row of the TCP connection in `connections`",
     number<&CaTransitionRow::connection>},
    {"sender", text_column, "Address and port of the side whose state it is, IP:PORT or [IPv6]:PORT", sender},
    {"receiver", text_column, "Address and port of the other side, IP:PORT or [IPv6]:PORT", receiver},
    {"packet", unsigned_column, "Packet that shows it", number<&CaTransitionRow::packet>},
    {"time_ns", integer_column, "Moment at the sender, nanoseconds since the epoch",
     time<&CaTransitionRow::time_ns>},
    {"from", text_column, "State before: Open, Disorder, CWR, Recovery or Loss",
     judged<word<&CaTransitionRow::from, ca_state_names>>},
    {"to", text_column, "State after: Open, Disorder, CWR, Recovery or Loss",
     judged<word<&CaTransitionRow::to, ca_state_names>>},
    {"cause", text_column, "What brought it about", judged<text<&CaTransitionRow::cause>>},
};
constexpr auto infos = column_infos(columns);

}  // namespace

const TableInfo ca_transitions_table = {
    "ca_transitions", "Changes of the state of each side's congestion control, one row each", infos,
    ResultStore::Keep::only(&ResultStore::Keep::ca_transitions), [](const ResultStore& store) {
        return make_ca_transitions_table(store.ca_transitions(), store.connections());
    }};

std::unique_ptr<Table> make_ca_transitions_table(const ChunkedRows<CaTransitionRow>& ca_transitions,
                                                 const ChunkedRows<ConnectionRow>& connections) {
    return std::make_unique<RowsTable<CaTransitionRow>>(ca_transitions_table, columns, ca_transitions,
                                                        &connections);
}

}  // namespace sanscope
