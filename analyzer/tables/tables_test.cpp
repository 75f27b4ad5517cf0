// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/tables/tables.h"

#include <algorithm>
#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace sanscope {
namespace {

using testing::ElementsAre;

// A cell as CSV has it.
std::string text_of(const Cell& cell) {
    switch (cell.kind) {
        case Cell::Kind::empty:
            return "";
        case Cell::Kind::integer:
            return std::to_string(cell.integer);
        case Cell::Kind::unsigned_integer:
            return std::to_string(cell.unsigned_integer);
        case Cell::Kind::text:
            return std::string(cell.text);
        case Cell::Kind::boolean:
            return cell.boolean ? "true" : "false";
    }
    return "?";
}

std::map<std::string, std::string> row_of(const Table& table, size_t row) {
    std::map<std::string, std::string> cells;
    for (size_t column = 0; column < table.columns().size(); column++) {
        Cell cell;
        table.cell(row, column, cell);
        cells[std::string(table.columns()[column].name)] = text_of(cell);
    }
    return cells;
}

// The names of the cells that are not empty.
std::vector<std::string> known_cells(const Table& table, size_t row) {
    std::vector<std::string> names;
    for (const auto& [name, text] : row_of(table, row)) {
        if (!text.empty()) names.push_back(name);
    }
    return names;
}

Endpoint v4_endpoint(std::array<uint8_t, 4> address, uint16_t port) {
    return {IpAddress::from_v4(address.data()), port};
}

// The columns as the contract with scripts lists them, in its words; additions come after them.
constexpr std::pair<const char*, const char*> contract[] = {
    {"connections",
     "connection, initiator, target, first_packet, last_packet, start_ns, end_ns, packets_out, packets_in, "
     "bytes_out, bytes_in, mss, rtt_min_ns, vantage, congestion_control_initiator, "
     "congestion_control_target, "
     "retransmissions_out, retransmissions_in, session"},
    {"sessions",
     "session, isid, tsih, initiator_name, target_name, connections, header_digest, data_digest, "
     "max_recv_data_segment_length_initiator, max_recv_data_segment_length_target, max_burst_length, "
     "first_burst_length, initial_r2t, immediate_data, max_outstanding_r2t, error_recovery_level, "
     "max_connections"},
    {"commands",
     "command, connection, session, lun, itt, cmd_sn, opcode, name, lba, blocks, bytes, request_packet, "
     "first_data_packet, last_data_packet, response_packet, request_ns, first_data_ns, last_data_ns, "
     "response_ns, "
     "turnaround_ns, status, sense_key, asc, ascq, residual, r2ts, pdus, outcome"},
    {"pdus",
     "pdu, connection, sender, opcode, name, itt, first_packet, last_packet, time_ns, bhs_offset, "
     "header_digest, "
     "data_digest, data_length, final, damaged"},
};

TEST(Tables, columns_begin_with_those_of_the_contract_in_its_order) {
    ASSERT_EQ(table_infos().size(), std::size(contract));
    for (size_t i = 0; i < std::size(contract); i++) {
        const TableInfo& info = table_infos()[i];
        EXPECT_EQ(info.name, contract[i].first);
        std::istringstream names(contract[i].second);
        size_t column = 0;
        for (std::string name; std::getline(names >> std::ws, name, ','); column++) {
            ASSERT_LT(column, info.columns.size());
            EXPECT_EQ(info.columns[column].name, name) << info.name;
        }
    }
}

TEST(Tables, every_column_is_described_in_one_line_and_named_once) {
    for (const TableInfo& info : table_infos()) {
        EXPECT_FALSE(info.description.empty());
        std::set<std::string_view> names;
        for (const ColumnInfo& column : info.columns) {
            EXPECT_TRUE(names.insert(column.name).second) << column.name;
            EXPECT_FALSE(column.description.empty()) << column.name;
            EXPECT_EQ(column.description.find('\n'), std::string_view::npos) << column.name;
            EXPECT_NE(column.description.back(), '.') << column.name;
            const bool is_time = column.name.ends_with("_ns");
            EXPECT_EQ(is_time, column.description.find("nanoseconds") != std::string_view::npos)
                << column.name;
            EXPECT_EQ(is_time, column.type == ColumnType::integer && column.name != "residual")
                << column.name;
        }
    }
}

TEST(Tables, cells_have_the_type_of_their_column) {
    ChunkedRows<ConnectionRow> connections;
    ConnectionRow& connection = connections.append({});
    connection.vantage = Vantage::target;
    connection.session = 1;
    ChunkedRows<PduRow> pdus;
    pdus.append({}).connection = 1;
    ChunkedRows<CommandRow> commands;
    CommandRow& command = commands.append({});
    command.request_ns = command.response_ns = 5;
    command.residual = -1;
    ChunkedRows<SessionRow> sessions;
    sessions.append({}).tsih = 1;
    const std::unique_ptr<Table> tables[] = {make_connections_table(connections),
                                             make_sessions_table(sessions), make_commands_table(commands),
                                             make_pdus_table(pdus, connections)};
    for (const auto& table : tables) {
        for (size_t column = 0; column < table->columns().size(); column++) {
            Cell cell;
            table->cell(0, column, cell);
            if (cell.kind == Cell::Kind::empty) continue;
            const std::map<ColumnType, Cell::Kind> kinds = {
                {ColumnType::integer, Cell::Kind::integer},
                {ColumnType::unsigned_integer, Cell::Kind::unsigned_integer},
                {ColumnType::text, Cell::Kind::text},
                {ColumnType::boolean, Cell::Kind::boolean},
            };
            EXPECT_EQ(cell.kind, kinds.at(table->columns()[column].type)) << table->columns()[column].name;
        }
    }
}

TEST(ConnectionsTable, a_row_gives_every_cell) {
    ChunkedRows<ConnectionRow> rows;
    rows.append({});
    ConnectionRow& row = rows.append({});
    row.initiator = v4_endpoint({192, 0, 2, 1}, 40000);
    const std::array<uint8_t, 16> v6 = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    row.target = {IpAddress::from_v6(v6.data()), 3260};
    row.first_packet = 3;
    row.last_packet = 9;
    row.start_ns = 1'347'690'917'369'644'000;
    row.end_ns = 1'347'690'918'000'000'001;
    row.packets_out = 4;
    row.packets_in = 5;
    row.bytes_out = 600;
    row.bytes_in = 700;
    row.mss = 1460;
    row.rtt_min_ns = 123;
    row.vantage = Vantage::middle;
    row.congestion_control_initiator = "cubic";
    row.congestion_control_target = "reno";
    row.retransmissions_out = 1;
    row.retransmissions_in = 2;
    row.session = 8;
    row.iscsi = true;
    const std::map<std::string, std::string> expected = {
        {"connection", "2"},
        {"initiator", "192.0.2.1:40000"},
        {"target", "[2001:db8::1]:3260"},
        {"first_packet", "3"},
        {"last_packet", "9"},
        {"start_ns", "1347690917369644000"},
        {"end_ns", "1347690918000000001"},
        {"packets_out", "4"},
        {"packets_in", "5"},
        {"bytes_out", "600"},
        {"bytes_in", "700"},
        {"mss", "1460"},
        {"rtt_min_ns", "123"},
        {"vantage", "middle"},
        {"congestion_control_initiator", "cubic"},
        {"congestion_control_target", "reno"},
        {"retransmissions_out", "1"},
        {"retransmissions_in", "2"},
        {"session", "8"},
        {"iscsi", "true"},
    };
    EXPECT_EQ(row_of(*make_connections_table(rows), 1), expected);
}

TEST(ConnectionsTable, unknowns_are_empty_and_counts_of_zero_are_not) {
    ChunkedRows<ConnectionRow> rows;
    rows.append({});
    EXPECT_THAT(known_cells(*make_connections_table(rows), 0),
                ElementsAre("bytes_in", "bytes_out", "connection", "initiator", "iscsi", "packets_in",
                            "packets_out", "retransmissions_in", "retransmissions_out", "target"));
}

TEST(SessionsTable, a_row_gives_every_cell) {
    ChunkedRows<SessionRow> rows;
    SessionRow& row = rows.append({});
    row.isid = 0x00023d000001;
    row.tsih = 65534;
    row.initiator_name = "iqn.1994-05.com.example:i";
    row.target_name = "iqn.2001-04.com.example:t";
    row.connections = 2;
    row.header_digest = "CRC32C";
    row.data_digest = "None";
    row.max_recv_data_segment_length_initiator = 262144;
    row.max_recv_data_segment_length_target = 8192;
    row.max_burst_length = 16776192;
    row.first_burst_length = 65536;
    row.initial_r2t = Ternary::no;
    row.immediate_data = Ternary::yes;
    row.max_outstanding_r2t = 1;
    row.error_recovery_level = 0;
    row.max_connections = 4;
    const std::map<std::string, std::string> expected = {
        {"session", "1"},
        {"isid", "0x00023d000001"},
        {"tsih", "65534"},
        {"initiator_name", "iqn.1994-05.com.example:i"},
        {"target_name", "iqn.2001-04.com.example:t"},
        {"connections", "2"},
        {"header_digest", "CRC32C"},
        {"data_digest", "None"},
        {"max_recv_data_segment_length_initiator", "262144"},
        {"max_recv_data_segment_length_target", "8192"},
        {"max_burst_length", "16776192"},
        {"first_burst_length", "65536"},
        {"initial_r2t", "No"},
        {"immediate_data", "Yes"},
        {"max_outstanding_r2t", "1"},
        {"error_recovery_level", "0"},
        {"max_connections", "4"},
    };
    EXPECT_EQ(row_of(*make_sessions_table(rows), 0), expected);
}

TEST(SessionsTable, unknowns_are_empty) {
    ChunkedRows<SessionRow> rows;
    rows.append({});
    EXPECT_THAT(known_cells(*make_sessions_table(rows), 0), ElementsAre("connections", "session"));
}

TEST(CommandsTable, a_row_gives_every_cell) {
    ChunkedRows<CommandRow> rows;
    CommandRow& row = rows.append({});
    row.connection = 2;
    row.session = 3;
    row.lun = 7;
    row.itt = 0x1a;
    row.cmd_sn = 0;
    row.cmd_sn_known = true;
    row.opcode = 0x28;
    row.name = "READ(10)";
    row.lba = 2048;
    row.blocks = 8;
    row.bytes = 4096;
    row.request_packet = 10;
    row.first_data_packet = 11;
    row.last_data_packet = 12;
    row.response_packet = 13;
    row.request_ns = 1000;
    row.first_data_ns = 1100;
    row.last_data_ns = 1200;
    row.response_ns = 1250;
    row.status = 0x02;
    row.sense_key = 0x05;
    row.asc = 0x21;
    row.ascq = 0x00;
    row.residual = -512;
    row.r2ts = 0;
    row.pdus = 3;
    row.outcome = Outcome::completed;
    row.first_byte_packet = 11;
    row.first_byte_ns = 1099;
    const std::map<std::string, std::string> expected = {
        {"command", "1"},
        {"connection", "2"},
        {"session", "3"},
        {"lun", "7"},
        {"itt", "0x0000001a"},
        {"cmd_sn", "0"},
        {"opcode", "0x28"},
        {"name", "READ(10)"},
        {"lba", "2048"},
        {"blocks", "8"},
        {"bytes", "4096"},
        {"request_packet", "10"},
        {"first_data_packet", "11"},
        {"last_data_packet", "12"},
        {"response_packet", "13"},
        {"request_ns", "1000"},
        {"first_data_ns", "1100"},
        {"last_data_ns", "1200"},
        {"response_ns", "1250"},
        {"turnaround_ns", "250"},
        {"status", "CHECK_CONDITION"},
        {"sense_key", "0x05"},
        {"asc", "0x21"},
        {"ascq", "0x00"},
        {"residual", "-512"},
        {"r2ts", "0"},
        {"pdus", "3"},
        {"outcome", "completed"},
        {"first_byte_packet", "11"},
        {"first_byte_ns", "1099"},
        {"inferred", "false"},
    };
    EXPECT_EQ(row_of(*make_commands_table(rows), 0), expected);
}

TEST(CommandsTable, unknowns_are_empty) {
    ChunkedRows<CommandRow> rows;
    rows.append({});
    EXPECT_THAT(known_cells(*make_commands_table(rows), 0),
                ElementsAre("command", "inferred", "itt", "outcome", "pdus", "r2ts"));
}

TEST(CommandsTable, numbers_that_are_zero_are_known) {
    ChunkedRows<CommandRow> rows;
    CommandRow& row = rows.append({});
    row.lun = row.lba = row.blocks = row.bytes = 0;
    row.residual = 0;
    row.opcode = row.status = row.sense_key = row.asc = row.ascq = 0;
    const auto cells = row_of(*make_commands_table(rows), 0);
    for (const char* name : {"lun", "lba", "blocks", "bytes", "residual"})
        EXPECT_EQ(cells.at(name), "0") << name;
    for (const char* name : {"opcode", "sense_key", "asc", "ascq"}) EXPECT_EQ(cells.at(name), "0x00") << name;
    EXPECT_EQ(cells.at("status"), "GOOD");
}

TEST(CommandsTable, every_outcome_has_its_word) {
    ChunkedRows<CommandRow> rows;
    CommandRow& row = rows.append({});
    const auto table = make_commands_table(rows);
    const auto word = [&](Outcome outcome) {
        row.outcome = outcome;
        return row_of(*table, 0).at("outcome");
    };
    EXPECT_EQ(word(Outcome::completed), "completed");
    EXPECT_EQ(word(Outcome::unanswered), "unanswered");
    EXPECT_EQ(word(Outcome::aborted), "aborted");
    EXPECT_EQ(word(Outcome::response_only), "response_only");
}

TEST(PdusTable, a_row_gives_every_cell) {
    ChunkedRows<ConnectionRow> connections;
    connections.append({});
    ConnectionRow& connection = connections.append({});
    connection.initiator = v4_endpoint({192, 0, 2, 1}, 40000);
    connection.target = v4_endpoint({192, 0, 2, 2}, 3260);
    ChunkedRows<PduRow> rows;
    PduRow& row = rows.append({});
    row.connection = 2;
    row.from_target = true;
    row.opcode = 0x25;
    row.itt = 0xffffffff;
    row.first_packet = 5;
    row.last_packet = 6;
    row.time_ns = 77;
    row.bhs_offset = 0;
    row.header_digest = Digest::ok;
    row.data_digest = Digest::bad;
    row.data_length = 8192;
    row.final = true;
    row.damaged = false;
    row.command = 4;
    const std::map<std::string, std::string> expected = {
        {"pdu", "1"},
        {"connection", "2"},
        {"sender", "192.0.2.2:3260"},
        {"opcode", "0x25"},
        {"name", "SCSI Data-In"},
        {"itt", "0xffffffff"},
        {"first_packet", "5"},
        {"last_packet", "6"},
        {"time_ns", "77"},
        {"bhs_offset", "0"},
        {"header_digest", "ok"},
        {"data_digest", "bad"},
        {"data_length", "8192"},
        {"final", "true"},
        {"damaged", "false"},
        {"command", "4"},
        {"inferred", "false"},
    };
    const auto table = make_pdus_table(rows, connections);
    EXPECT_EQ(row_of(*table, 0), expected);
    row.from_target = false;
    EXPECT_EQ(row_of(*table, 0).at("sender"), "192.0.2.1:40000");
}

TEST(PdusTable, unknowns_and_strangers_are_empty) {
    const ChunkedRows<ConnectionRow> connections;
    ChunkedRows<PduRow> rows;
    PduRow& row = rows.append({});
    row.opcode = 0x3b;       // not an opcode of RFC 7143
    row.connection = 12345;  // not among the connections
    EXPECT_THAT(known_cells(*make_pdus_table(rows, connections), 0),
                ElementsAre("bhs_offset", "connection", "damaged", "data_length", "final", "inferred", "itt",
                            "opcode", "pdu"));
}

TEST(Tables, a_table_shows_rows_appended_after_it_was_made) {
    ChunkedRows<SessionRow> rows;
    const auto table = make_sessions_table(rows);
    EXPECT_EQ(table->rows(), 0u);
    rows.append({});
    EXPECT_EQ(table->rows(), 1u);
}

}  // namespace
}  // namespace sanscope
