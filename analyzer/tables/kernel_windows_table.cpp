// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/tables/column.h"
#include "analyzer/tables/tables.h"
#include "analyzer/vocabulary/sender_names.h"

namespace sanscope {
namespace {

using namespace column;

template <auto member>
void sequence(const KernelWindowRow& row, const CellContext&, Cell& cell) {
    if (!row.sequences_known) return cell.set_empty();
    cell.set(uint64_t{row.*member});
}

void in_flight(const KernelWindowRow& row, const CellContext&, Cell& cell) {
    if (!row.sequences_known) return cell.set_empty();
    cell.set(uint64_t{row.snd_nxt - row.snd_una});
}

void ca_state(const KernelWindowRow& row, const CellContext&, Cell& cell) {
    if (!row.ca_state_known) return cell.set_empty();
    cell.set(ca_state_names[static_cast<size_t>(row.ca_state)]);
}

// Columns that are here only because the table has those of `windows`.
void nothing(const KernelWindowRow&, const CellContext&, Cell& cell) {
    cell.set_empty();
}

constexpr Column<KernelWindowRow> columns[] = {
    {"connection", unsigned_column, "Row of the TCP connection in `connections`",
     number<&KernelWindowRow::connection>},
    {"sender", text_column, "Address and port of the side whose kernel reported it, IP:PORT or [IPv6]:PORT",
     sender},
    {"receiver", text_column, "Address and port of the other side, IP:PORT or [IPv6]:PORT", receiver},
    {"packet", unsigned_column, "Packet with the acknowledgement that had come in and was not yet processed",
     number<&KernelWindowRow::packet>},
    {"time_ns", integer_column, "Moment by the kernel's clock, nanoseconds since the epoch",
     time<&KernelWindowRow::time_ns>},
    {"snd_una", unsigned_column, "Oldest sequence number not acknowledged, as in the headers",
     sequence<&KernelWindowRow::snd_una>},
    {"snd_nxt", unsigned_column, "Sequence number behind the last one sent, as in the headers",
     sequence<&KernelWindowRow::snd_nxt>},
    {"in_flight", unsigned_column, "Bytes from snd_una to snd_nxt", in_flight},
    {"cwnd", unsigned_column, "Congestion window, bytes, as the kernel reported",
     value<&KernelWindowRow::cwnd>},
    {"cwnd_low", unsigned_column, "Always empty: cwnd is no estimate", nothing},
    {"cwnd_high", unsigned_column, "Always empty: cwnd is no estimate", nothing},
    {"ssthresh", unsigned_column,
     "Slow start threshold as the kernel applies it, bytes; empty while it is infinite",
     value<&KernelWindowRow::ssthresh>},
    {"advertised_window", unsigned_column, "Window the receiver last offered, bytes",
     value<&KernelWindowRow::advertised_window>},
    {"srtt_ns", integer_column, "Smoothed round trip time, nanoseconds", time<&KernelWindowRow::srtt_ns>},
    {"ca_state", text_column,
     "State of the congestion control: Open, Disorder, CWR, Recovery or Loss; empty while not yet known",
     ca_state},
    {"limit", text_column, "Always empty: the kernel does not report it", nothing},
};
constexpr auto infos = column_infos(columns);

}  // namespace

const TableInfo kernel_windows_table = {
    "kernel_windows",
    "What a sender's own kernel reported of its windows, one row for each acknowledgement that came in",
    infos, ResultStore::Keep::only(&ResultStore::Keep::kernel_windows), [](const ResultStore& store) {
        return make_kernel_windows_table(store.kernel_windows(), store.connections());
    }};

std::unique_ptr<Table> make_kernel_windows_table(const ChunkedRows<KernelWindowRow>& windows,
                                                 const ChunkedRows<ConnectionRow>& connections) {
    return std::make_unique<RowsTable<KernelWindowRow>>(kernel_windows_table, columns, windows, &connections);
}

}  // namespace sanscope
