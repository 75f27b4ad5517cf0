// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/tables.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "analyzer/iscsi/bhs.h"
#include "analyzer/net/ip_address.h"
#include "analyzer/scsi/status.h"

namespace sanscope {
namespace {

// Besides the row, what its cells are made of.
struct Context {
    uint64_t row_number;
    const ChunkedRows<ConnectionRow>* connections;  // nullptr where no column asks for them
};

// A column is described and its value fetched in one place, so that the two cannot drift apart.
template <class Row>
struct Column {
    std::string_view name;
    ColumnType type;
    std::string_view description;
    void (*get)(const Row& row, const Context& context, Cell& cell);
};

constexpr ColumnType integer_column = ColumnType::integer;
constexpr ColumnType unsigned_column = ColumnType::unsigned_integer;
constexpr ColumnType text_column = ColumnType::text;
constexpr ColumnType boolean_column = ColumnType::boolean;

// How a member becomes a cell; each kind has its own value for unknown (rows.h).

template <class Row>
void row_number(const Row&, const Context& context, Cell& cell) {
    cell.set(context.row_number);
}

// A count that is always known.
template <auto member, class Row>
void count(const Row& row, const Context&, Cell& cell) {
    cell.set(uint64_t{row.*member});
}

// The number of a packet or of another table's row.
template <auto member, class Row>
void number(const Row& row, const Context&, Cell& cell) {
    const uint64_t value = row.*member;
    if (value == 0) return cell.set_empty();
    cell.set(value);
}

template <auto member, class Row>
void time(const Row& row, const Context&, Cell& cell) {
    const int64_t value = row.*member;
    if (value == no_time) return cell.set_empty();
    cell.set(value);
}

template <auto member, class Row>
void value(const Row& row, const Context&, Cell& cell) {
    const uint64_t v = row.*member;
    if (row.*member == unknown<std::remove_cvref_t<decltype(row.*member)>>) return cell.set_empty();
    cell.set(v);
}

template <auto member, class Row>
void text(const Row& row, const Context&, Cell& cell) {
    cell.set(std::string_view(row.*member));
}

template <auto member, class Row>
void boolean(const Row& row, const Context&, Cell& cell) {
    cell.set(bool{row.*member});
}

void set_hexadecimal(Cell& cell, uint64_t number, size_t digits) {
    constexpr std::string_view digit = "0123456789abcdef";
    cell.buffer[0] = '0';
    cell.buffer[1] = 'x';
    for (size_t i = digits; i > 0; i--, number >>= 4) cell.buffer[1 + i] = digit[number & 15];
    cell.set(std::string_view(cell.buffer, 2 + digits));
}

// A known number in so many hexadecimal digits.
template <auto member, size_t digits, class Row>
void hexadecimal(const Row& row, const Context&, Cell& cell) {
    set_hexadecimal(cell, row.*member, digits);
}

template <auto member, size_t digits, class Row>
void hexadecimal_value(const Row& row, const Context&, Cell& cell) {
    if (row.*member == unknown<std::remove_cvref_t<decltype(row.*member)>>) return cell.set_empty();
    set_hexadecimal(cell, row.*member, digits);
}

void set_endpoint(Cell& cell, const Endpoint& endpoint) {
    static_assert(sizeof cell.buffer >= max_endpoint_text);
    cell.set(format_endpoint(endpoint.address, endpoint.port,
                             std::span<char, max_endpoint_text>(cell.buffer, max_endpoint_text)));
}

template <auto member, class Row>
void endpoint(const Row& row, const Context&, Cell& cell) {
    set_endpoint(cell, row.*member);
}

template <auto member, class Row>
void yes_or_no(const Row& row, const Context&, Cell& cell) {
    constexpr std::array<std::string_view, 3> names = {"No", "Yes", ""};
    cell.set(names[static_cast<size_t>(row.*member)]);
}

template <auto member, class Row>
void digest(const Row& row, const Context&, Cell& cell) {
    constexpr std::array<std::string_view, 3> names = {"", "ok", "bad"};
    cell.set(names[static_cast<size_t>(row.*member)]);
}

constexpr Column<ConnectionRow> connection_columns[] = {
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
     [](const ConnectionRow& row, const Context&, Cell& cell) {
         constexpr std::array<std::string_view, 4> names = {"", "initiator", "target", "middle"};
         cell.set(names[static_cast<size_t>(row.vantage)]);
     }},
    {"congestion_control_initiator", text_column, "Congestion control of the initiator's TCP, as inferred",
     text<&ConnectionRow::congestion_control_initiator>},
    {"congestion_control_target", text_column, "Congestion control of the target's TCP, as inferred",
     text<&ConnectionRow::congestion_control_target>},
    {"retransmissions_out", unsigned_column, "Segments the initiator sent again",
     count<&ConnectionRow::retransmissions_out>},
    {"retransmissions_in", unsigned_column, "Segments the target sent again",
     count<&ConnectionRow::retransmissions_in>},
    {"session", unsigned_column, "Row of the iSCSI session in `sessions`", number<&ConnectionRow::session>},
    {"iscsi", boolean_column, "Whether iSCSI was recognised on the connection",
     boolean<&ConnectionRow::iscsi>},
};

constexpr Column<SessionRow> session_columns[] = {
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
    {"initial_r2t", text_column, "InitialR2T negotiated: Yes or No", yes_or_no<&SessionRow::initial_r2t>},
    {"immediate_data", text_column, "ImmediateData negotiated: Yes or No",
     yes_or_no<&SessionRow::immediate_data>},
    {"max_outstanding_r2t", unsigned_column, "MaxOutstandingR2T negotiated",
     value<&SessionRow::max_outstanding_r2t>},
    {"error_recovery_level", unsigned_column, "ErrorRecoveryLevel negotiated: 0, 1 or 2",
     value<&SessionRow::error_recovery_level>},
    {"max_connections", unsigned_column, "MaxConnections negotiated", value<&SessionRow::max_connections>},
};

constexpr Column<CommandRow> command_columns[] = {
    {"command", unsigned_column, "Number of the command, counted from 1 in order of request", row_number},
    {"connection", unsigned_column, "Row of the TCP connection in `connections`",
     number<&CommandRow::connection>},
    {"session", unsigned_column, "Row of the iSCSI session in `sessions`", number<&CommandRow::session>},
    {"lun", unsigned_column, "Logical unit number", value<&CommandRow::lun>},
    {"itt", text_column, "Initiator task tag, 0x and 8 hexadecimal digits", hexadecimal<&CommandRow::itt, 8>},
    {"cmd_sn", unsigned_column, "CmdSN of the SCSI Command PDU",
     [](const CommandRow& row, const Context&, Cell& cell) {
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
     [](const CommandRow& row, const Context&, Cell& cell) {
         const int64_t turnaround = row.turnaround_ns();
         if (turnaround == no_time) return cell.set_empty();
         cell.set(turnaround);
     }},
    {"status", text_column, "SCSI status as named in SAM, as in CHECK_CONDITION; an undefined code as 0x41",
     [](const CommandRow& row, const Context&, Cell& cell) {
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
     [](const CommandRow& row, const Context&, Cell& cell) {
         if (row.residual == unknown<int64_t>) return cell.set_empty();
         cell.set(row.residual);
     }},
    {"r2ts", unsigned_column, "R2T PDUs of the command", count<&CommandRow::r2ts>},
    {"pdus", unsigned_column, "PDUs of the command, request and response included", count<&CommandRow::pdus>},
    {"outcome", text_column, "completed, unanswered, aborted or response_only",
     [](const CommandRow& row, const Context&, Cell& cell) {
         constexpr std::array<std::string_view, 4> names = {"unanswered", "completed", "aborted",
                                                            "response_only"};
         cell.set(names[static_cast<size_t>(row.outcome)]);
     }},
    {"first_byte_packet", unsigned_column, "Packet that holds the first byte of data",
     number<&CommandRow::first_byte_packet>},
    {"first_byte_ns", integer_column, "Time of first_byte_packet, nanoseconds since the epoch",
     time<&CommandRow::first_byte_ns>},
    {"inferred", boolean_column,
     "The header of its request or of its status was cut off; the sizes and numbers around imply it",
     boolean<&CommandRow::inferred>},
};

constexpr Column<PduRow> pdu_columns[] = {
    {"pdu", unsigned_column, "Number of the PDU, counted from 1", row_number},
    {"connection", unsigned_column, "Row of the TCP connection in `connections`",
     number<&PduRow::connection>},
    {"sender", text_column, "Address and port of the side that sent it, IP:PORT or [IPv6]:PORT",
     [](const PduRow& row, const Context& context, Cell& cell) {
         if (row.connection == 0 || row.connection > context.connections->size()) return cell.set_empty();
         const ConnectionRow& connection = (*context.connections)[row.connection - 1];
         set_endpoint(cell, row.from_target ? connection.target : connection.initiator);
     }},
    {"opcode", text_column, "iSCSI opcode, 0x and 2 hexadecimal digits", hexadecimal<&PduRow::opcode, 2>},
    {"name", text_column, "Name of the PDU as in RFC 7143, as in SCSI Data-In",
     [](const PduRow& row, const Context&, Cell& cell) {
         const char* name = opcode_name(row.opcode);
         cell.set(name == nullptr ? std::string_view() : std::string_view(name));
     }},
    {"itt", text_column, "Initiator task tag, 0x and 8 hexadecimal digits; 0xffffffff: of no task",
     [](const PduRow& row, const Context& context, Cell& cell) {
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
     digest<&PduRow::header_digest>},
    {"data_digest", text_column,
     "ok or bad; empty where none was negotiated or the data were not all captured",
     digest<&PduRow::data_digest>},
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

template <class Row, size_t size>
constexpr std::array<ColumnInfo, size> infos(const Column<Row> (&columns)[size]) {
    std::array<ColumnInfo, size> result{};
    for (size_t i = 0; i < size; i++) result[i] = {columns[i].name, columns[i].type, columns[i].description};
    return result;
}
constexpr auto connection_infos = infos(connection_columns);
constexpr auto session_infos = infos(session_columns);
constexpr auto command_infos = infos(command_columns);
constexpr auto pdu_infos = infos(pdu_columns);

constexpr TableInfo tables[] = {
    {"connections", "TCP connections, one row each", connection_infos},
    {"sessions", "iSCSI sessions with what was negotiated, one row each", session_infos},
    {"commands", "SCSI commands from request to status, one row each, in order of request", command_infos},
    {"pdus", "iSCSI PDUs, one row each", pdu_infos},
};

template <class Row>
class RowsTable final : public Table {
  public:
    RowsTable(const TableInfo& info, std::span<const Column<Row>> columns, const ChunkedRows<Row>& rows,
              const ChunkedRows<ConnectionRow>* connections)
        : info_(info), columns_(columns), rows_(rows), connections_(connections) {}

    std::string_view name() const override { return info_.name; }
    std::span<const ColumnInfo> columns() const override { return info_.columns; }
    size_t rows() const override { return rows_.size(); }
    void cell(size_t row, size_t column, Cell& cell) const override {
        columns_[column].get(rows_[row], {row + 1, connections_}, cell);
    }

  private:
    const TableInfo& info_;
    std::span<const Column<Row>> columns_;
    const ChunkedRows<Row>& rows_;
    const ChunkedRows<ConnectionRow>* connections_;
};

}  // namespace

std::span<const TableInfo> table_infos() {
    return tables;
}

std::unique_ptr<Table> make_connections_table(const ChunkedRows<ConnectionRow>& connections) {
    return std::make_unique<RowsTable<ConnectionRow>>(tables[0], connection_columns, connections, nullptr);
}

std::unique_ptr<Table> make_sessions_table(const ChunkedRows<SessionRow>& sessions) {
    return std::make_unique<RowsTable<SessionRow>>(tables[1], session_columns, sessions, nullptr);
}

std::unique_ptr<Table> make_commands_table(const ChunkedRows<CommandRow>& commands) {
    return std::make_unique<RowsTable<CommandRow>>(tables[2], command_columns, commands, nullptr);
}

std::unique_ptr<Table> make_pdus_table(const ChunkedRows<PduRow>& pdus,
                                       const ChunkedRows<ConnectionRow>& connections) {
    return std::make_unique<RowsTable<PduRow>>(tables[3], pdu_columns, pdus, &connections);
}

}  // namespace sanscope
