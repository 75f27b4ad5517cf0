// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include "analyzer/tables/column.h"
#include "analyzer/tables/tables.h"

namespace sanscope {
namespace {

using namespace column;

constexpr std::array<std::string_view, 3> yes_no_words = {"No", "Yes", ""};

template <auto windows, auto figure>
void flow(const SessionRow& row, const CellContext& context, Cell& cell) {
    value<figure>(row.*windows, context, cell);
}

// The windows themselves, without their intervals, which cost more.
constexpr ResultStore::Keep windows_without_intervals() {
    ResultStore::Keep keep = ResultStore::Keep::only(&ResultStore::Keep::windows);
    keep.window_intervals = false;
    return keep;
}

constexpr Column<SessionRow> columns[] = {
    {"session", unsigned_column, "Number of the session, counted from 1 in order of appearance", row_number},
    {"isid", text_column, "Initiator part of the session identifier, 0x and 12 hexadecimal digits",
     hexadecimal_value<&SessionRow::isid, 12>},
    {"tsih", unsigned_column, "Target session identifying handle", value<&SessionRow::tsih>},
    {"initiator_name", text_column, "InitiatorName of the login", text<&SessionRow::initiator_name>},
    {"target_name", text_column, "TargetName of the login; empty in a discovery session",
     text<&SessionRow::target_name>},
    {"connections", unsigned_column, "TCP connections of the session seen", count<&SessionRow::connections>},
    {"header_digest", text_column, "HeaderDigest in force: None or CRC32C", text<&SessionRow::header_digest>},
    {"data_digest", text_column, "DataDigest in force: None or CRC32C", text<&SessionRow::data_digest>},
    {"max_recv_data_segment_length_initiator", unsigned_column,
     "MaxRecvDataSegmentLength declared by the initiator, bytes",
     value<&SessionRow::max_recv_data_segment_length_initiator>},
    {"max_recv_data_segment_length_target", unsigned_column,
     "MaxRecvDataSegmentLength declared by the target, bytes",
     value<&SessionRow::max_recv_data_segment_length_target>},
    {"max_burst_length", unsigned_column, "MaxBurstLength negotiated, bytes",
     value<&SessionRow::max_burst_length>},
    {"first_burst_length", unsigned_column, "FirstBurstLength negotiated, bytes",
     value<&SessionRow::first_burst_length>},
    {"initial_r2t", text_column, "InitialR2T negotiated: Yes or No",
     word<&SessionRow::initial_r2t, yes_no_words>},
    {"immediate_data", text_column, "ImmediateData negotiated: Yes or No",
     word<&SessionRow::immediate_data, yes_no_words>},
    {"max_outstanding_r2t", unsigned_column, "MaxOutstandingR2T negotiated",
     value<&SessionRow::max_outstanding_r2t>},
    {"error_recovery_level", unsigned_column, "ErrorRecoveryLevel negotiated: 0, 1 or 2",
     value<&SessionRow::error_recovery_level>},
    {"max_connections", unsigned_column, "MaxConnections negotiated", value<&SessionRow::max_connections>},
    {"cwnd_mean_out", unsigned_column,
     "Congestion windows of the initiator's ends, summed, on average over the time in which all are known, "
     "bytes",
     flow<&SessionRow::windows_out, &SessionWindowsRow::cwnd_mean>},
    {"cwnd_sd_out", unsigned_column, "Standard deviation of that sum over time, bytes",
     flow<&SessionRow::windows_out, &SessionWindowsRow::cwnd_sd>},
    {"cwnd_sd_percent_out", unsigned_column, "That in percent of the mean: the coefficient of variation",
     flow<&SessionRow::windows_out, &SessionWindowsRow::cwnd_sd_percent>},
    {"cwnd_known_percent_out", unsigned_column,
     "Time in which all are known, in percent; below 50 there are no figures of them",
     flow<&SessionRow::windows_out, &SessionWindowsRow::cwnd_known_percent>},
    {"cwnd_difference_sd_out", unsigned_column,
     "Standard deviation over time of the difference between two connections, all pairs alike, bytes",
     flow<&SessionRow::windows_out, &SessionWindowsRow::cwnd_difference_sd>},
    {"jain_cwnd_permille_out", unsigned_column,
     "Jain's index of the connections' mean congestion windows, thousandths: 1000 where all are equal",
     flow<&SessionRow::windows_out, &SessionWindowsRow::jain_cwnd_permille>},
    {"jain_throughput_permille_out", unsigned_column,
     "Jain's index of the bytes that the connections carried this way, thousandths; empty where less than "
     "half of the time was common to all",
     flow<&SessionRow::windows_out, &SessionWindowsRow::jain_throughput_permille>},
    {"cwnd_mean_in", unsigned_column,
     "Congestion windows of the target's ends, summed, on average over the time in which all are known, "
     "bytes",
     flow<&SessionRow::windows_in, &SessionWindowsRow::cwnd_mean>},
    {"cwnd_sd_in", unsigned_column, "Standard deviation of that sum over time, bytes",
     flow<&SessionRow::windows_in, &SessionWindowsRow::cwnd_sd>},
    {"cwnd_sd_percent_in", unsigned_column, "That in percent of the mean: the coefficient of variation",
     flow<&SessionRow::windows_in, &SessionWindowsRow::cwnd_sd_percent>},
    {"cwnd_known_percent_in", unsigned_column,
     "Time in which all are known, in percent; below 50 there are no figures of them",
     flow<&SessionRow::windows_in, &SessionWindowsRow::cwnd_known_percent>},
    {"cwnd_difference_sd_in", unsigned_column,
     "Standard deviation over time of the difference between two connections, all pairs alike, bytes",
     flow<&SessionRow::windows_in, &SessionWindowsRow::cwnd_difference_sd>},
    {"jain_cwnd_permille_in", unsigned_column,
     "Jain's index of the connections' mean congestion windows, thousandths: 1000 where all are equal",
     flow<&SessionRow::windows_in, &SessionWindowsRow::jain_cwnd_permille>},
    {"jain_throughput_permille_in", unsigned_column,
     "Jain's index of the bytes that the connections carried this way, thousandths; empty where less than "
     "half of the time was common to all",
     flow<&SessionRow::windows_in, &SessionWindowsRow::jain_throughput_permille>},
};
constexpr auto infos = column_infos(columns);

}  // namespace

const TableInfo sessions_table = {
    "sessions", "iSCSI sessions with what was negotiated, one row each", infos, windows_without_intervals(),
    [](const ResultStore& store) { return make_sessions_table(store.sessions()); }};

std::unique_ptr<Table> make_sessions_table(const ChunkedRows<SessionRow>& sessions) {
    return std::make_unique<RowsTable<SessionRow>>(sessions_table, columns, sessions);
}

}  // namespace sanscope
