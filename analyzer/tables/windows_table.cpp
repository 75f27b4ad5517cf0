// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/tables/column.h"
#include "analyzer/tables/tables.h"
#include "analyzer/vocabulary/sender_names.h"

namespace sanscope {
namespace {

using namespace column;

// Held against acknowledgements, as the state is.
void in_flight(const WindowRow& row, const CellContext&, Cell& cell) {
    if (!row.ca_state_known) return cell.set_empty();
    cell.set(uint64_t{row.in_flight});
}

void ca_state(const WindowRow& row, const CellContext&, Cell& cell) {
    if (!row.ca_state_known) return cell.set_empty();
    cell.set(ca_state_names[static_cast<size_t>(row.ca_state)]);
}

constexpr Column<WindowRow> columns[] = {
    {"connection", unsigned_column, "Row of the TCP connection in `connections`",
     number<&WindowRow::connection>},
    {"sender", text_column,
     "Address and port of the side whose data the row is about, IP:PORT or [IPv6]:PORT", sender},
    {"receiver", text_column, "Address and port of the other side, IP:PORT or [IPv6]:PORT", receiver},
    {"packet", unsigned_column, "Packet after which the figures are these", number<&WindowRow::packet>},
    {"time_ns", integer_column, "Moment of the packet at the sender, nanoseconds since the epoch",
     time<&WindowRow::time_ns>},
    {"snd_una", unsigned_column, "Oldest sequence number not acknowledged, as in the headers",
     count<&WindowRow::snd_una>},
    {"snd_nxt", unsigned_column, "Sequence number behind the last one sent, as in the headers",
     count<&WindowRow::snd_nxt>},
    {"in_flight", unsigned_column,
     "Bytes sent and neither acknowledged, nor selectively acknowledged, nor held for lost", in_flight},
    {"cwnd", unsigned_column, "Congestion window of the sender, bytes, as inferred", value<&WindowRow::cwnd>},
    {"cwnd_low", unsigned_column, "Lower end of the 90 % interval of cwnd, bytes",
     value<&WindowRow::cwnd_low>},
    {"cwnd_high", unsigned_column, "Upper end of the 90 % interval of cwnd, bytes",
     value<&WindowRow::cwnd_high>},
    {"ssthresh", unsigned_column, "Slow start threshold, bytes, as inferred; empty while there is none",
     value<&WindowRow::ssthresh>},
    {"advertised_window", unsigned_column, "Window the receiver last offered, bytes",
     value<&WindowRow::advertised_window>},
    {"srtt_ns", integer_column, "Round trip time as the sender smooths it, nanoseconds",
     time<&WindowRow::srtt_ns>},
    {"ca_state", text_column,
     "State of the sender's congestion control: Open, Disorder, CWR, Recovery or Loss", ca_state},
    {"limit", text_column,
     "What keeps the sender from sending more: application, receiver, congestion, pacing or recovery",
     word<&WindowRow::limit, send_limit_names>},
};
constexpr auto infos = column_infos(columns);

}  // namespace

const TableInfo windows_table = {
    "windows", "Windows of each side's TCP, one row for each packet that moves a figure", infos,
    ResultStore::Keep::only(&ResultStore::Keep::windows),
    [](const ResultStore& store) { return make_windows_table(store.windows(), store.connections()); }};

std::unique_ptr<Table> make_windows_table(const StoredRows<WindowRow>& windows,
                                          const ChunkedRows<ConnectionRow>& connections) {
    return std::make_unique<RowsTable<WindowRow>>(windows_table, columns, windows, &connections);
}

}  // namespace sanscope
