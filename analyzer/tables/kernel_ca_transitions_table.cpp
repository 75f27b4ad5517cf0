// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/tables/column.h"
#include "analyzer/tables/tables.h"
#include "analyzer/vocabulary/sender_names.h"

namespace sanscope {
namespace {

using namespace column;

void from(const KernelCaTransitionRow& row, const CellContext&, Cell& cell) {
    if (!row.from_known) return cell.set_empty();
    cell.set(ca_state_names[static_cast<size_t>(row.from)]);
}

constexpr Column<KernelCaTransitionRow> columns[] = {
    {"connection", unsigned_column, "Row of the TCP connection in `connections`",
     number<&KernelCaTransitionRow::connection>},
    {"sender", text_column, "Address and port of the side whose kernel told it, IP:PORT or [IPv6]:PORT",
     sender},
    {"receiver", text_column, "Address and port of the other side, IP:PORT or [IPv6]:PORT", receiver},
    {"packet", unsigned_column, "Packet that had just come in from the receiver",
     number<&KernelCaTransitionRow::packet>},
    {"time_ns", integer_column, "Moment by the kernel's clock, nanoseconds since the epoch",
     time<&KernelCaTransitionRow::time_ns>},
    {"from", text_column,
     "State before: Open, Disorder, CWR, Recovery or Loss; empty where it was not yet told", from},
    {"to", text_column, "State after: Open, Disorder, CWR, Recovery or Loss",
     word<&KernelCaTransitionRow::to, ca_state_names>},
    {"cause", text_column, "Always empty: the kernel does not tell",
     [](const KernelCaTransitionRow&, const CellContext&, Cell& cell) { cell.set_empty(); }},
};
constexpr auto infos = column_infos(columns);

}  // namespace

const TableInfo kernel_ca_transitions_table = {
    "kernel_ca_transitions",
    "What a sender's own kernel told of the changes of its congestion control's state, one row each", infos,
    ResultStore::Keep::only(&ResultStore::Keep::kernel_ca_transitions), [](const ResultStore& store) {
        return make_kernel_ca_transitions_table(store.kernel_ca_transitions(), store.connections());
    }};

std::unique_ptr<Table> make_kernel_ca_transitions_table(const ChunkedRows<KernelCaTransitionRow>& transitions,
                                                        const ChunkedRows<ConnectionRow>& connections) {
    return std::make_unique<RowsTable<KernelCaTransitionRow>>(kernel_ca_transitions_table, columns,
                                                              transitions, &connections);
}

}  // namespace sanscope
