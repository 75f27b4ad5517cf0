// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/doubtful_figures.h"

#include <gtest/gtest.h>

#include "analyzer/base/testing/durations.h"
#include "analyzer/store/result_store.h"

namespace sanscope {
namespace {

using test::ms;
using test::us;

class DoubtfulFigures : public ::testing::Test {
  protected:
    ConnectionRow& add_connection(int64_t rtt_ns, int64_t apart_ns) {
        uint32_t session = 0;
        uint32_t number = 0;
        store.add_session(session);
        ConnectionRow& row = store.add_connection(number);
        row.session = session;
        row.iscsi = true;
        row.vantage = Vantage::initiator;
        row.rtt_min_ns = rtt_ns;
        row.in.new_segments = 100;
        row.in.late_segments = apart_ns == 0 ? 0 : 90;
        row.in.late_ns = apart_ns;
        return row;
    }
    uint64_t add_read(uint32_t connection, int64_t took_ns, uint64_t bytes = 4096) {
        uint64_t number = 0;
        CommandRow& row = store.begin_command(number);
        row = {.bytes = bytes,
               .request_packet = 1,
               .response_packet = 2,
               .request_ns = 0,
               .response_ns = took_ns,
               .name = "READ(16)",
               .connection = connection,
               .session = store.connection(connection).session,
               .status = 0,
               .outcome = Outcome::completed};
        store.requested(row);
        store.answered(row);
        store.end_command(number, row, true, false);
        return number;
    }
    void add_window(uint32_t connection) {
        WindowRow row;
        row.connection = connection;
        row.srtt_ns = ms;
        row.cwnd = 14'480;
        row.limit = SendLimit::congestion;
        store.add_window(store.add_sender(connection, Side::b), row);
    }

    ResultStore store{{}};
};

TEST_F(DoubtfulFigures, TimesThatAreNotMuchLongerAreLeftOut) {
    add_connection(ms, 20 * us);
    const uint64_t shorter = add_read(1, 150 * us);
    const uint64_t longer = add_read(1, 2 * ms, 65536);
    store.finish();
    EXPECT_EQ(store.command(shorter).turnaround_ns(), no_time);
    EXPECT_EQ(store.command(shorter).outcome, Outcome::completed);
    EXPECT_EQ(store.command(longer).turnaround_ns(), 2 * ms);
    EXPECT_EQ(store.summary().untimed(), 1u);
    ASSERT_EQ(store.summary().slowest().size(), 1u);
    EXPECT_FALSE(store.commands_comparable());
}

TEST_F(DoubtfulFigures, DepthsAreLeftOutWhereverTheyAre) {
    add_connection(10 * ms, 20 * us);
    add_connection(10 * ms, 0);
    const uint64_t of_apart = add_read(1, 2 * ms);
    const uint64_t of_one_clock = add_read(2, 2 * ms);
    store.finish();
    EXPECT_EQ(store.command(of_apart).queue_depth, unknown<uint32_t>);
    EXPECT_EQ(store.command(of_one_clock).queue_depth, 1u);
    EXPECT_FALSE(store.summary().sessions()[0].depths_are_known());
    EXPECT_TRUE(store.summary().sessions()[1].depths_are_known());
    EXPECT_TRUE(store.commands_comparable());
}

TEST_F(DoubtfulFigures, WhatTcpDidIsLeftOutWhereTheRoundTripIsNotMuchLonger) {
    add_connection(50 * us, 20 * us);
    add_connection(ms, 20 * us);
    add_window(1);
    add_window(2);
    store.finish();
    EXPECT_EQ(store.connection(1u).vantage, Vantage::unknown);
    EXPECT_EQ(store.connection(1u).rtt_min_ns, no_time);
    EXPECT_EQ(store.windows()[0].cwnd, unknown<uint32_t>);
    EXPECT_EQ(store.windows()[0].limit, SendLimit::unknown);
    EXPECT_EQ(store.connection(2u).vantage, Vantage::initiator);
    EXPECT_EQ(store.connection(2u).rtt_min_ns, ms);
    EXPECT_EQ(store.windows()[1].cwnd, 14'480u);
}

TEST_F(DoubtfulFigures, WhatTcpDidIsLeftOutWhereOneDirectionIsMissing) {
    add_connection(no_time, 0).packets_out = 10;
    add_window(1);
    store.finish();
    EXPECT_EQ(store.windows()[0].cwnd, unknown<uint32_t>);
    EXPECT_FALSE(store.windows()[0].ca_state_known);
}

TEST_F(DoubtfulFigures, OneClockLeavesNothingOut) {
    add_connection(50 * us, 0);
    const uint64_t read = add_read(1, 10 * us);
    add_window(1);
    store.finish();
    EXPECT_EQ(store.command(read).turnaround_ns(), 10 * us);
    EXPECT_EQ(store.command(read).queue_depth, 1u);
    EXPECT_EQ(store.windows()[0].cwnd, 14'480u);
    EXPECT_TRUE(store.commands_comparable());
}

TEST_F(DoubtfulFigures, averages_are_not_told_where_many_commands_ended_nobody_knows_when) {
    add_connection(ms, 0);
    add_connection(ms, 0);
    for (int i = 0; i < 99; ++i) {
        add_read(1, ms);
        add_read(2, ms);
    }
    add_read(1, no_time);
    add_read(2, no_time);
    add_read(2, no_time);
    store.finish();
    EXPECT_TRUE(store.connections()[0].read_turnaround.known());
    EXPECT_FALSE(store.connections()[1].read_turnaround.known());
}

TEST_F(DoubtfulFigures, a_command_of_an_unknown_kind_may_be_of_each) {
    add_connection(ms, 0);
    add_read(1, ms);
    uint64_t number = 0;
    CommandRow& row = store.begin_command(number);
    row = {.request_packet = 3, .connection = 1, .session = 1, .outcome = Outcome::unknown};
    store.requested(row);
    store.end_command(number, row, false, false);
    EXPECT_EQ(store.connections()[0].untimed_reads, 1u);
    EXPECT_EQ(store.connections()[0].untimed_writes, 1u);
    store.finish();
    EXPECT_FALSE(store.connections()[0].read_turnaround.known());
}

}  // namespace
}  // namespace sanscope
