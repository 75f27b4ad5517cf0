// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>

#include "analyzer/tables/tables.h"
#include "analyzer/tables/testing/table_text.h"

namespace sanscope {
namespace {

using testing::ElementsAre;

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

}  // namespace
}  // namespace sanscope
