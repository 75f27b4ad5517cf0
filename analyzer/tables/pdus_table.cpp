// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include "analyzer/iscsi/bhs.h"
#include "analyzer/tables/column.h"
#include "analyzer/tables/tables.h"

namespace sanscope {
namespace {

using namespace column;

constexpr std::array<std::string_view, 3> digest_words = {"", "ok", "bad"};

constexpr Column<PduRow> columns[] = {
    {"pdu", unsigned_column, "Number of the PDU, counted from 1", row_number},
    {"connection", unsigned_column, "Row of the TCP connection in `connections`",
     number<&PduRow::connection>},
    {"sender", text_column, "Address and port of the side that sent it, IP:PORT or [IPv6]:PORT",
     [](const PduRow& row, const CellContext& context, Cell& cell) {
         const ConnectionRow* connection = context.connection(row.connection);
         if (connection == nullptr) return cell.set_empty();
         set_endpoint(cell, connection->endpoint(row.sender));
     }},
    {"opcode", text_column, "iSCSI opcode, 0x and 2 hexadecimal digits", hexadecimal<&PduRow::opcode, 2>},
    {"name", text_column, "Name of the PDU as in RFC 7143, as in SCSI Data-In",
     [](const PduRow& row, const CellContext&, Cell& cell) {
         const char* name = opcode_name(row.opcode);
         cell.set(name == nullptr ? std::string_view() : std::string_view(name));
     }},
    {"itt", text_column, "Initiator task tag, 0x and 8 hexadecimal digits; 0xffffffff: of no task",
     [](const PduRow& row, const CellContext& context, Cell& cell) {
         if (!row.itt_known) return cell.set_empty();
         hexadecimal<&PduRow::itt, 8>(row, context, cell);
     }},
    {"first_packet", unsigned_column, "Packet that holds the first captured byte of its header",
     number<&PduRow::first_packet>},
    {"last_packet", unsigned_column, "Packet that completes it", number<&PduRow::last_packet>},
    {"time_ns", integer_column, "Time of last_packet, nanoseconds since the epoch", time<&PduRow::time_ns>},
    {"bhs_offset", unsigned_column,
     "Bytes of its sender's stream before its header, from the first byte seen", count<&PduRow::bhs_offset>},
    {"header_digest", text_column, "ok or bad; empty where none was negotiated or it was not captured",
     word<&PduRow::header_digest, digest_words>},
    {"data_digest", text_column,
     "ok or bad; empty where none was negotiated or the data were not all captured",
     word<&PduRow::data_digest, digest_words>},
    {"data_length", unsigned_column, "DataSegmentLength, bytes, padding not counted",
     count<&PduRow::data_length>},
    {"final", boolean_column, "The F bit (of Login and Text PDUs: the T or F bit)", boolean<&PduRow::final>},
    {"damaged", boolean_column,
     "Bytes of it are in no captured packet, it never completed, or a digest is bad",
     boolean<&PduRow::damaged>},
    {"command", unsigned_column, "Row of the SCSI command it belongs to in `commands`",
     number<&PduRow::command>},
    {"inferred", boolean_column, "Its header was cut off; the sizes and numbers around imply it",
     boolean<&PduRow::inferred>},
};
constexpr auto infos = column_infos(columns);

}  // namespace

const TableInfo pdus_table = {
    "pdus", "iSCSI PDUs, one row each", infos, ResultStore::Keep::only(&ResultStore::Keep::pdus),
    [](const ResultStore& store) { return make_pdus_table(store.pdus(), store.connections()); }};

std::unique_ptr<Table> make_pdus_table(const StoredRows<PduRow>& pdus,
                                       const ChunkedRows<ConnectionRow>& connections) {
    return std::make_unique<RowsTable<PduRow>>(pdus_table, columns, pdus, &connections);
}

}  // namespace sanscope
