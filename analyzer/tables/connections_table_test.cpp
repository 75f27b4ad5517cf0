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
    row.spurious_retransmissions_out = 1;
    row.session = 8;
    row.iscsi = true;
    for (const int turnaround_ns : {2, 4, 4, 4, 5, 5, 7, 9}) row.read_turnaround.add(turnaround_ns);
    row.write_turnaround.add(1'000'000);
    row.write_turnaround.add(3'000'000);
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
        {"retransmissions_needed_out", "0"},
        {"retransmissions_spurious_out", "1"},
        {"retransmissions_needed_in", "2"},
        {"retransmissions_spurious_in", "0"},
        {"read_turnaround_mean_ns", "5"},
        {"read_turnaround_sd_ns", "2"},
        {"read_turnaround_sd_percent", "40"},
        {"write_turnaround_mean_ns", "2000000"},
        {"write_turnaround_sd_ns", "1000000"},
        {"write_turnaround_sd_percent", "50"},
        {"kernel_congestion_control_initiator", ""},
        {"kernel_congestion_control_target", ""},
    };
    EXPECT_EQ(row_of(*make_connections_table(rows), 1), expected);
}

TEST(ConnectionsTable, unknowns_are_empty_and_counts_of_zero_are_not) {
    ChunkedRows<ConnectionRow> rows;
    rows.append({});
    EXPECT_THAT(known_cells(*make_connections_table(rows), 0),
                ElementsAre("bytes_in", "bytes_out", "connection", "initiator", "iscsi", "packets_in",
                            "packets_out", "retransmissions_in", "retransmissions_needed_in",
                            "retransmissions_needed_out", "retransmissions_out",
                            "retransmissions_spurious_in", "retransmissions_spurious_out", "target"));
}

TEST(ConnectionsTable, a_kernels_word_on_its_congestion_control_stands_beside_what_is_inferred) {
    ChunkedRows<ConnectionRow> rows;
    ConnectionRow& row = rows.append({});
    row.initiator_side = Side::b;
    row.congestion_control_initiator = "cubic";
    row.congestion_control_target = "reno";
    row.kernel_congestion_control[index_of(Side::b)] = "fair";
    const auto cells = row_of(*make_connections_table(rows), 0);
    EXPECT_EQ(cells.at("congestion_control_initiator"), "cubic");
    EXPECT_EQ(cells.at("congestion_control_target"), "reno");
    EXPECT_EQ(cells.at("kernel_congestion_control_initiator"), "fair");
    EXPECT_EQ(cells.at("kernel_congestion_control_target"), "");
}

}  // namespace
}  // namespace sanscope
