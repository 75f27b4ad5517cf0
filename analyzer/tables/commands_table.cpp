// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/scsi/status.h"
#include "analyzer/tables/column.h"
#include "analyzer/tables/tables.h"
#include "analyzer/vocabulary/outcome_names.h"

namespace sanscope {
namespace {

using namespace column;

constexpr Column<CommandRow> columns[] = {
    {"command", unsigned_column, "Number of the command, counted from 1 in order of request", row_number},
    {"connection", unsigned_column, "Row of the TCP connection in `connections`",
     number<&CommandRow::connection>},
    {"session", unsigned_column, "Row of the iSCSI session in `sessions`", number<&CommandRow::session>},
    {"lun", unsigned_column, "Logical unit number", value<&CommandRow::lun>},
    {"itt", text_column,
     "Initiator task tag, 0x and 8 hexadecimal digits; empty where the capture cut off every header with it",
     hexadecimal_value<&CommandRow::itt, 8>},
    {"cmd_sn", unsigned_column, "CmdSN of the SCSI Command PDU",
     [](const CommandRow& row, const CellContext&, Cell& cell) {
         if (!row.cmd_sn_known) return cell.set_empty();
         cell.set(uint64_t{row.cmd_sn});
     }},
    {"opcode", text_column, "SCSI operation code, 0x and 2 hexadecimal digits",
     hexadecimal_value<&CommandRow::opcode, 2>},
    {"name", text_column, "Name of the SCSI command, as in READ(10)", text<&CommandRow::name>},
    {"lba", unsigned_column, "First logical block address", value<&CommandRow::lba>},
    {"blocks", unsigned_column, "Logical blocks to transfer", value<&CommandRow::blocks>},
    {"bytes", unsigned_column, "Expected data transfer length, bytes", value<&CommandRow::bytes>},
    {"request_packet", unsigned_column, "Packet that completes the SCSI Command PDU",
     number<&CommandRow::request_packet>},
    {"first_data_packet", unsigned_column, "Packet that completes the first PDU with data",
     number<&CommandRow::first_data_packet>},
    {"last_data_packet", unsigned_column, "Packet that completes the last PDU with data",
     number<&CommandRow::last_data_packet>},
    {"response_packet", unsigned_column, "Packet that completes the PDU with the status",
     number<&CommandRow::response_packet>},
    {"request_ns", integer_column, "Time of request_packet, nanoseconds since the epoch",
     time<&CommandRow::request_ns>},
    {"first_data_ns", integer_column, "Time of first_data_packet, nanoseconds since the epoch",
     time<&CommandRow::first_data_ns>},
    {"last_data_ns", integer_column, "Time of last_data_packet, nanoseconds since the epoch",
     time<&CommandRow::last_data_ns>},
    {"response_ns", integer_column, "Time of response_packet, nanoseconds since the epoch",
     time<&CommandRow::response_ns>},
    {"turnaround_ns", integer_column, "From request_packet to response_packet, nanoseconds",
     [](const CommandRow& row, const CellContext&, Cell& cell) {
         const int64_t turnaround = row.turnaround_ns();
         if (turnaround == no_time) return cell.set_empty();
         cell.set(turnaround);
     }},
    {"status", text_column, "SCSI status as named in SAM, as in CHECK_CONDITION; an undefined code as 0x41",
     [](const CommandRow& row, const CellContext&, Cell& cell) {
         if (row.status == unknown<uint16_t>) return cell.set_empty();
         cell.set(scsi_status_name(static_cast<uint8_t>(row.status)));
     }},
    {"sense_key", text_column, "Sense key, 0x and 2 hexadecimal digits",
     hexadecimal_value<&CommandRow::sense_key, 2>},
    {"asc", text_column, "Additional sense code, 0x and 2 hexadecimal digits",
     hexadecimal_value<&CommandRow::asc, 2>},
    {"ascq", text_column, "Additional sense code qualifier, 0x and 2 hexadecimal digits",
     hexadecimal_value<&CommandRow::ascq, 2>},
    {"residual", integer_column, "Bytes expected and not transferred; negative: bytes more than expected",
     [](const CommandRow& row, const CellContext&, Cell& cell) {
         if (row.residual == unknown<int64_t>) return cell.set_empty();
         cell.set(row.residual);
     }},
    {"r2ts", unsigned_column, "R2T PDUs of the command", count<&CommandRow::r2ts>},
    {"pdus", unsigned_column, "PDUs of the command, request and response included", count<&CommandRow::pdus>},
    {"outcome", text_column, "completed, unanswered, aborted or response_only",
     word<&CommandRow::outcome, outcome_names>},
    {"first_byte_packet", unsigned_column, "Packet that holds the first byte of data",
     number<&CommandRow::first_byte_packet>},
    {"first_byte_ns", integer_column, "Time of first_byte_packet, nanoseconds since the epoch",
     time<&CommandRow::first_byte_ns>},
    {"inferred", boolean_column,
     "The header of its request or of its status was cut off; the sizes and numbers around imply it",
     boolean<&CommandRow::inferred>},
    {"aborted_packet", unsigned_column,
     "Packet that completes the answer to the task management request that aborted it",
     number<&CommandRow::aborted_packet>},
    {"queue_depth", unsigned_column,
     "Commands of the session under way at request_packet, this one included: requested, and neither "
     "answered nor aborted nor their tag used again",
     value<&CommandRow::queue_depth>},
};
constexpr auto infos = column_infos(columns);

}  // namespace

const TableInfo commands_table = {
    "commands", "SCSI commands from request to status, one row each, in order of request", infos,
    ResultStore::Keep::only(&ResultStore::Keep::commands),
    [](const ResultStore& store) { return make_commands_table(store.commands()); }};

std::unique_ptr<Table> make_commands_table(const ChunkedRows<CommandRow>& commands) {
    return std::make_unique<RowsTable<CommandRow>>(commands_table, columns, commands);
}

}  // namespace sanscope
