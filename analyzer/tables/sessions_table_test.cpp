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
    row.windows_in = {.cwnd_mean = 80'000,
                      .cwnd_sd = 20'000,
                      .cwnd_sd_percent = 25,
                      .cwnd_known_percent = 97,
                      .cwnd_difference_sd = 9000,
                      .jain_cwnd_permille = 990,
                      .jain_throughput_permille = 998,
                      .mss = 1448};
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
        {"cwnd_mean_out", ""},
        {"cwnd_sd_out", ""},
        {"cwnd_sd_percent_out", ""},
        {"cwnd_known_percent_out", ""},
        {"cwnd_difference_sd_out", ""},
        {"jain_cwnd_permille_out", ""},
        {"jain_throughput_permille_out", ""},
        {"cwnd_mean_in", "80000"},
        {"cwnd_sd_in", "20000"},
        {"cwnd_sd_percent_in", "25"},
        {"cwnd_known_percent_in", "97"},
        {"cwnd_difference_sd_in", "9000"},
        {"jain_cwnd_permille_in", "990"},
        {"jain_throughput_permille_in", "998"},
    };
    EXPECT_EQ(row_of(*make_sessions_table(rows), 0), expected);
}

TEST(SessionsTable, unknowns_are_empty) {
    ChunkedRows<SessionRow> rows;
    rows.append({});
    EXPECT_THAT(known_cells(*make_sessions_table(rows), 0), ElementsAre("connections", "session"));
}

}  // namespace
}  // namespace sanscope
