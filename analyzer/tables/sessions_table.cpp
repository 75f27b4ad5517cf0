// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include "analyzer/tables/column.h"
#include "analyzer/tables/tables.h"

namespace sanscope {
namespace {

using namespace column;

constexpr std::array<std::string_view, 3> yes_no_words = {"No", "Yes", ""};

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
};
constexpr auto infos = column_infos(columns);

}  // namespace

const TableInfo sessions_table = {
    "sessions", "iSCSI sessions with what was negotiated, one row each", infos, ResultStore::Keep::nothing(),
    [](const ResultStore& store) { return make_sessions_table(store.sessions()); }};

std::unique_ptr<Table> make_sessions_table(const ChunkedRows<SessionRow>& sessions) {
    return std::make_unique<RowsTable<SessionRow>>(sessions_table, columns, sessions);
}

}  // namespace sanscope
