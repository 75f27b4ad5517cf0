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

TEST(KernelWindowsTable, a_row_gives_every_cell) {
    ChunkedRows<ConnectionRow> connections;
    add_two_connections(connections, Side::a);
    ChunkedRows<KernelWindowRow> rows;
    rows.append({.packet = 9,
                 .time_ns = 77,
                 .srtt_ns = 5000,
                 .connection = 2,
                 .snd_una = 0xfffffff0,
                 .snd_nxt = 16,
                 .cwnd = 14480,
                 .ssthresh = 2896,
                 .advertised_window = 65535,
                 .ca_state = CaState::recovery,
                 .sequences_known = true,
                 .ca_state_known = true,
                 .sender = Side::b});
    const std::map<std::string, std::string> expected = {
        {"connection", "2"},
        {"sender", "192.0.2.2:3260"},
        {"receiver", "192.0.2.1:40000"},
        {"packet", "9"},
        {"time_ns", "77"},
        {"snd_una", "4294967280"},
        {"snd_nxt", "16"},
        {"in_flight", "32"},
        {"cwnd", "14480"},
        {"cwnd_low", ""},
        {"cwnd_high", ""},
        {"ssthresh", "2896"},
        {"advertised_window", "65535"},
        {"srtt_ns", "5000"},
        {"ca_state", "Recovery"},
        {"limit", ""},
    };
    EXPECT_EQ(row_of(*make_kernel_windows_table(rows, connections), 0), expected);
}

TEST(KernelWindowsTable, what_is_unknown_is_empty) {
    const ChunkedRows<ConnectionRow> connections;
    ChunkedRows<KernelWindowRow> rows;
    rows.append({.time_ns = 5, .connection = 1});
    EXPECT_THAT(known_cells(*make_kernel_windows_table(rows, connections), 0),
                ElementsAre("connection", "time_ns"));
}

}  // namespace
}  // namespace sanscope
