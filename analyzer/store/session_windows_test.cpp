// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/session_windows.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

class SessionWindowsTest : public testing::Test {
  protected:
    SessionWindowsTest() { sessions.append({}); }

    void add_connection(uint64_t bytes_in, uint64_t packets_in = 1) {
        ConnectionRow& row = connections.append({});
        row.session = 1;
        row.packets_out = 1;
        row.packets_in = packets_in;
        row.bytes_in = bytes_in;
        row.mss = 1000;
    }
    void window(int64_t time_ns, uint32_t connection, uint32_t cwnd) {
        const WindowRow row{.time_ns = time_ns, .connection = connection, .cwnd = cwnd, .sender = Side::b};
        while (senders.size() < connection)
            senders.append(SenderSummary(static_cast<uint32_t>(senders.size() + 1), Side::b));
        senders[connection - 1].on_window(row);
        windows.append(row);
    }
    const SessionWindowsRow& filled() {
        fill_session_windows({windows, senders, connections}, sessions);
        return sessions[0].windows_in;
    }

    StoredRows<WindowRow> windows;
    ChunkedRows<SenderSummary> senders;
    ChunkedRows<ConnectionRow> connections;
    ChunkedRows<SessionRow> sessions;
};

TEST_F(SessionWindowsTest, of_one_connection_its_own_window_and_no_comparison) {
    add_connection(5000);
    window(0, 1, 1000);
    window(30, 1, 5000);
    window(40, 1, 5000);
    const SessionWindowsRow& row = filled();
    EXPECT_EQ(row.cwnd_mean, 2000u);
    EXPECT_EQ(row.cwnd_sd, 1732u);
    EXPECT_EQ(row.cwnd_sd_percent, 87u);
    EXPECT_EQ(row.cwnd_known_percent, 100u);
    EXPECT_EQ(row.cwnd_difference_sd, unknown<uint64_t>);
    EXPECT_EQ(row.jain_cwnd_permille, unknown<uint32_t>);
    EXPECT_EQ(row.jain_throughput_permille, unknown<uint32_t>);
    EXPECT_EQ(sessions[0].windows_out.cwnd_mean, unknown<uint64_t>);
}

TEST_F(SessionWindowsTest, of_one_connection_the_rows_need_not_be_kept) {
    add_connection(5000);
    connections[0].end_ns = 50;
    window(0, 1, 1000);
    window(30, 1, 5000);
    const StoredRows<WindowRow> none;
    fill_session_windows({none, senders, connections}, sessions);
    EXPECT_EQ(sessions[0].windows_in.cwnd_mean, 2600u);
    EXPECT_EQ(sessions[0].windows_in.cwnd_sd, 1960u);
    EXPECT_EQ(sessions[0].windows_in.cwnd_known_percent, 100u);
}

TEST_F(SessionWindowsTest, a_window_holds_until_the_connection_is_over) {
    add_connection(5000);
    add_connection(5000);
    connections[1].end_ns = 100;
    window(0, 1, 1000);
    window(100, 1, 1000);
    window(0, 2, 3000);
    const SessionWindowsRow& row = filled();
    EXPECT_EQ(row.cwnd_mean, 4000u);
    EXPECT_EQ(row.cwnd_sd, 0u);
}

TEST_F(SessionWindowsTest, nothing_is_told_where_one_direction_of_a_connection_was_not_captured) {
    add_connection(5000);
    add_connection(0, 0);
    window(0, 1, 1000);
    window(100, 1, 1000);
    const SessionWindowsRow& row = filled();
    EXPECT_EQ(row.cwnd_mean, unknown<uint64_t>);
    EXPECT_EQ(row.jain_throughput_permille, unknown<uint32_t>);
}

// Rows of several senders do not come in order of time.
TEST_F(SessionWindowsTest, windows_of_several_connections_are_summed_and_compared_over_time) {
    add_connection(3000);
    add_connection(1000);
    window(0, 1, 6000);
    window(10, 1, 2000);
    window(20, 1, 2000);
    window(0, 2, 2000);
    window(10, 2, 6000);
    window(20, 2, 6000);
    const SessionWindowsRow& row = filled();
    EXPECT_EQ(row.cwnd_mean, 8000u);
    EXPECT_EQ(row.cwnd_sd, 0u);
    EXPECT_EQ(row.cwnd_difference_sd, 4000u);
    EXPECT_EQ(row.mss, 1000u);
    EXPECT_EQ(row.jain_cwnd_permille, 1000u);
    EXPECT_EQ(row.jain_throughput_permille, 800u);
}

// What one carried in all the time and another in a part of it says nothing of how evenly they shared.
TEST_F(SessionWindowsTest, throughput_is_compared_only_of_connections_that_were_there_together) {
    add_connection(3000);
    add_connection(1000);
    connections[0].start_ns = 0;
    connections[0].end_ns = 100;
    connections[1].start_ns = 60;
    connections[1].end_ns = 100;
    EXPECT_EQ(filled().jain_throughput_permille, unknown<uint32_t>);
    connections[1].start_ns = 50;
    EXPECT_EQ(filled().jain_throughput_permille, 800u);
    connections[1].start_ns = 100;
    connections[1].end_ns = 200;
    sessions[0] = {};
    EXPECT_EQ(filled().jain_throughput_permille, unknown<uint32_t>);
}

TEST_F(SessionWindowsTest, where_windows_are_known_for_too_short_only_that_is_told) {
    add_connection(3000);
    window(0, 1, unknown<uint32_t>);
    window(60, 1, 3000);
    window(100, 1, 3000);
    const SessionWindowsRow& row = filled();
    EXPECT_EQ(row.cwnd_known_percent, 40u);
    EXPECT_EQ(row.cwnd_mean, unknown<uint64_t>);
    EXPECT_EQ(row.cwnd_sd_percent, unknown<uint32_t>);
}

}  // namespace
}  // namespace sanscope
