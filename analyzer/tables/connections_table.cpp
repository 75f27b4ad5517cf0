// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "analyzer/tables/column.h"
#include "analyzer/tables/tables.h"
#include "analyzer/vocabulary/sender_names.h"

namespace sanscope {
namespace {

using namespace column;

template <Role role>
void kernel_congestion_control(const ConnectionRow& row, const CellContext&, Cell& cell) {
    cell.set(std::string_view(row.kernel_congestion_control[index_of(row.side_of(role))]));
}

template <auto retransmissions, auto spurious>
void needed(const ConnectionRow& row, const CellContext&, Cell& cell) {
    cell.set(uint64_t{row.*retransmissions - row.*spurious});
}

template <auto member>
void mean_ns(const ConnectionRow& row, const CellContext&, Cell& cell) {
    const Moments& moments = row.*member;
    if (!moments.known()) return cell.set_empty();
    cell.set(int64_t{std::llround(moments.mean())});
}

template <auto member>
void standard_deviation_ns(const ConnectionRow& row, const CellContext&, Cell& cell) {
    const Moments& moments = row.*member;
    if (!moments.known()) return cell.set_empty();
    cell.set(int64_t{std::llround(moments.standard_deviation())});
}

template <auto member>
void percent_deviation(const ConnectionRow& row, const CellContext&, Cell& cell) {
    const Moments& moments = row.*member;
    if (!moments.known()) return cell.set_empty();
    cell.set(static_cast<uint64_t>(std::llround(moments.percent_deviation())));
}

constexpr Column<ConnectionRow> columns[] = {
    {"connection", unsigned_column, "Number of the connection, counted from 1 in order of first packet",
     row_number},
    {"initiator", text_column, "Address and port of the initiator, IP:PORT or [IPv6]:PORT",
     endpoint<&ConnectionRow::initiator>},
    {"target", text_column, "Address and port of the target, IP:PORT or [IPv6]:PORT",
     endpoint<&ConnectionRow::target>},
    {"first_packet", unsigned_column, "Number of the connection's first captured packet",
     number<&ConnectionRow::first_packet>},
    {"last_packet", unsigned_column, "Number of its last captured packet",
     number<&ConnectionRow::last_packet>},
    {"start_ns", integer_column, "Time of its first packet, nanoseconds since the epoch",
     time<&ConnectionRow::start_ns>},
    {"end_ns", integer_column, "Time of its last packet, nanoseconds since the epoch",
     time<&ConnectionRow::end_ns>},
    {"packets_out", unsigned_column, "Packets from initiator to target", count<&ConnectionRow::packets_out>},
    {"packets_in", unsigned_column, "Packets from target to initiator", count<&ConnectionRow::packets_in>},
    {"bytes_out", unsigned_column, "Bytes of TCP payload from initiator to target, retransmissions included",
     count<&ConnectionRow::bytes_out>},
    {"bytes_in", unsigned_column, "Bytes of TCP payload from target to initiator, retransmissions included",
     count<&ConnectionRow::bytes_in>},
    {"mss", unsigned_column, "The smaller of the two maximum segment sizes announced with the SYNs, bytes",
     value<&ConnectionRow::mss>},
    {"rtt_min_ns", integer_column, "Smallest round-trip time seen, nanoseconds",
     time<&ConnectionRow::rtt_min_ns>},
    {"vantage", text_column, "Where the capture was taken, as inferred: initiator, target or middle",
     word<&ConnectionRow::vantage, vantage_names>},
    {"congestion_control_initiator", text_column,
     "Congestion control of the initiator's TCP, as inferred; empty where that is not known",
     text<&ConnectionRow::congestion_control_initiator>},
    {"congestion_control_target", text_column,
     "Congestion control of the target's TCP, as inferred; empty where that is not known",
     text<&ConnectionRow::congestion_control_target>},
    {"retransmissions_out", unsigned_column, "Segments the initiator sent again",
     count<&ConnectionRow::retransmissions_out>},
    {"retransmissions_in", unsigned_column, "Segments the target sent again",
     count<&ConnectionRow::retransmissions_in>},
    {"session", unsigned_column, "Row of the iSCSI session in `sessions`", number<&ConnectionRow::session>},
    {"iscsi", boolean_column, "Whether iSCSI was recognised on the connection",
     boolean<&ConnectionRow::iscsi>},
    {"read_turnaround_mean_ns", integer_column,
     "Turnaround of its reads on average, nanoseconds; empty where that of more than one in a hundred is not "
     "known",
     mean_ns<&ConnectionRow::read_turnaround>},
    {"read_turnaround_sd_ns", integer_column,
     "Standard deviation of the turnaround of its reads, nanoseconds",
     standard_deviation_ns<&ConnectionRow::read_turnaround>},
    {"read_turnaround_sd_percent", unsigned_column,
     "That in percent of the mean: the coefficient of variation",
     percent_deviation<&ConnectionRow::read_turnaround>},
    {"write_turnaround_mean_ns", integer_column,
     "Turnaround of its writes on average, nanoseconds; empty where that of more than one in a hundred is "
     "not known",
     mean_ns<&ConnectionRow::write_turnaround>},
    {"write_turnaround_sd_ns", integer_column,
     "Standard deviation of the turnaround of its writes, nanoseconds",
     standard_deviation_ns<&ConnectionRow::write_turnaround>},
    {"write_turnaround_sd_percent", unsigned_column,
     "That in percent of the mean: the coefficient of variation",
     percent_deviation<&ConnectionRow::write_turnaround>},
    {"retransmissions_needed_out", unsigned_column,
     "Of retransmissions_out, segments that nothing shows to have been spurious",
     needed<&ConnectionRow::retransmissions_out, &ConnectionRow::spurious_retransmissions_out>},
    {"retransmissions_spurious_out", unsigned_column,
     "Of retransmissions_out, segments that had arrived before, as D-SACK or timestamps show",
     count<&ConnectionRow::spurious_retransmissions_out>},
    {"retransmissions_needed_in", unsigned_column,
     "Of retransmissions_in, segments that nothing shows to have been spurious",
     needed<&ConnectionRow::retransmissions_in, &ConnectionRow::spurious_retransmissions_in>},
    {"retransmissions_spurious_in", unsigned_column,
     "Of retransmissions_in, segments that had arrived before, as D-SACK or timestamps show",
     count<&ConnectionRow::spurious_retransmissions_in>},
    {"kernel_congestion_control_initiator", text_column,
     "Congestion control of the initiator's TCP, as its kernel reported in the capture",
     kernel_congestion_control<Role::initiator>},
    {"kernel_congestion_control_target", text_column,
     "Congestion control of the target's TCP, as its kernel reported in the capture",
     kernel_congestion_control<Role::target>},
};
constexpr auto infos = column_infos(columns);

}  // namespace

const TableInfo connections_table = {
    "connections", "TCP connections, one row each", infos, ResultStore::Keep::nothing(),
    [](const ResultStore& store) { return make_connections_table(store.connections()); }};

std::unique_ptr<Table> make_connections_table(const ChunkedRows<ConnectionRow>& connections) {
    return std::make_unique<RowsTable<ConnectionRow>>(connections_table, columns, connections);
}

}  // namespace sanscope
