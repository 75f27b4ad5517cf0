// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>

#include "analyzer/tables/tables.h"
#include "analyzer/tables/testing/table_text.h"

namespace sanscope {
namespace {

using testing::ElementsAre;

TEST(PdusTable, a_row_gives_every_cell) {
    ChunkedRows<ConnectionRow> connections;
    add_two_connections(connections, Side::a);
    StoredRows<PduRow> rows;
    PduRow& row = rows.append({});
    row.connection = 2;
    row.sender = Role::target;
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
    row.sender = Role::initiator;
    EXPECT_EQ(row_of(*table, 0).at("sender"), "192.0.2.1:40000");
}

TEST(PdusTable, unknowns_and_strangers_are_empty) {
    const ChunkedRows<ConnectionRow> connections;
    StoredRows<PduRow> rows;
    PduRow& row = rows.append({});
    row.opcode = 0x3b;       // not an opcode of RFC 7143
    row.connection = 12345;  // not among the connections
    EXPECT_THAT(known_cells(*make_pdus_table(rows, connections), 0),
                ElementsAre("bhs_offset", "connection", "damaged", "data_length", "final", "inferred", "itt",
                            "opcode", "pdu"));
}

}  // namespace
}  // namespace sanscope
