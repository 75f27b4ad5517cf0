// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/budget/command_order.h"

#include <gtest/gtest.h>
#include <string>

#include "analyzer/base/testing/durations.h"
#include "analyzer/budget/time_budgets.h"

namespace sanscope {
namespace {

using test::ms;

CommandRow numbered(uint32_t cmd_sn, uint32_t session = 1) {
    CommandRow row;
    row.session = session;
    row.cmd_sn = cmd_sn;
    row.cmd_sn_known = true;
    return row;
}

RequestArrival at(int64_t time_ns) {
    return {.time_ns = time_ns, .shortest_ns = time_ns};
}

int64_t late_ns(const CommandOrder& order, uint64_t command) {
    const CommandOrder::Wait* const wait = order.of(command);
    return wait == nullptr ? 0 : wait->late_ns;
}

TEST(CommandOrder, OneThatCameWaitsForAllThatAreNumberedBeforeIt) {
    CommandOrder order;
    order.add(1, numbered(10), at(5));
    order.add(2, numbered(12), at(7));
    order.add(3, numbered(13), at(8));
    order.add(4, numbered(11), {.time_ns = 90, .shortest_ns = 9, .repaired = true, .by_timer = true});
    order.finish();
    EXPECT_EQ(late_ns(order, 1), 0);
    EXPECT_EQ(late_ns(order, 2), 83);
    EXPECT_EQ(late_ns(order, 3), 82);
    EXPECT_EQ(late_ns(order, 4), 0) << "its own loss is no wait for others";
    EXPECT_TRUE(order.of(3)->repaired && order.of(3)->by_timer);
    EXPECT_EQ(order.of(3)->until_ns, 90);
}

TEST(CommandOrder, CountsOnWhereTheNumberWraps) {
    CommandOrder order;
    order.add(1, numbered(0xffff'ffff), at(50));
    order.add(2, numbered(1), at(7));
    order.add(3, numbered(0), at(6));
    order.finish();
    EXPECT_EQ(late_ns(order, 2), 43);
    EXPECT_EQ(late_ns(order, 3), 44);
}

TEST(CommandOrder, SessionsDoNotWaitForEachOther) {
    CommandOrder order;
    order.add(1, numbered(1, 1), at(50));
    order.add(2, numbered(2, 2), at(7));
    order.finish();
    EXPECT_EQ(order.of(2), nullptr);
}

TEST(CommandOrder, WhatIsNotKnownHoldsUpNobody) {
    CommandOrder order;
    order.add(1, numbered(1), {});
    CommandRow row = numbered(1);
    row.cmd_sn_known = false;
    order.add(2, row, at(90));
    order.add(3, numbered(2), at(7));
    order.finish();
    EXPECT_EQ(order.of(3), nullptr);
}

CommandRow answered(uint32_t cmd_sn, int64_t response_ns) {
    CommandRow row = numbered(cmd_sn);
    row.response_ns = response_ns;
    return row;
}

TEST(CommandOrder, AnsweredBeforeThoseBeforeItCameOneWaitedForNone) {
    CommandOrder order;
    order.add(1, answered(1, 900 * ms), at(800 * ms));
    order.add(2, answered(2, 700 * ms), at(100 * ms));
    for (uint32_t i = 3; i < 12; ++i) order.add(i, answered(i, 900 * ms), at(100 * ms));
    order.finish();
    EXPECT_EQ(order.of(2), nullptr);
    EXPECT_EQ(late_ns(order, 3), 700 * ms);
    EXPECT_FALSE(order.is_in_doubt(1));
}

TEST(CommandOrder, NothingIsSaidWhereSeveralWereAnsweredBeforeThoseBeforeThemCame) {
    CommandOrder order;
    for (uint32_t i = 0; i < 20; ++i) {
        const bool by_the_late_clock = i % 2 == 0;
        const int64_t sent_ns = (i + (by_the_late_clock ? 50 : 0)) * ms;
        order.add(i + 1, answered(i, sent_ns + (i < 16 ? 5 : 100) * ms), at(sent_ns));
    }
    order.finish();
    for (uint64_t i = 1; i <= 20; ++i) EXPECT_EQ(order.of(i), nullptr);
    EXPECT_TRUE(order.is_in_doubt(1));
    EXPECT_FALSE(order.is_in_doubt(2));
}

TEST(CommandOrder, IsInDoubtWhereEverySecondCommandIsMissing) {
    CommandOrder order;
    for (uint32_t i = 0; i < 40; ++i) {
        order.add(i + 1, numbered(2 * i, 1), at(i));
        order.add(i + 101, numbered(i + i / 20, 2), at(i));
    }
    order.finish();
    EXPECT_TRUE(order.is_in_doubt(1));
    EXPECT_FALSE(order.is_in_doubt(2)) << "one that is no SCSI command";
}

// A session of two connections, captured at the initiator, 2 ms from the target. On the first one a command is sent at 0 ms, on
// the second the next one at 1 ms, a read that is answered at 203 ms.
class OverTwoConnections : public testing::Test {
  protected:
    static constexpr uint32_t seq = 1000;
    static constexpr uint32_t request = 48;

    OverTwoConnections() {
        uint32_t session = 0;
        store.add_session(session).connections = 2;
        for (int i = 0; i < 2; ++i) {
            uint32_t number = 0;
            ConnectionRow& row = store.add_connection(number);
            row.session = session;
            row.initiator_side = Side::a;
            row.vantage = Vantage::initiator;
            row.rtt_min_ns = 2 * ms;
            row.stream_start_seq[0] = row.stream_start_seq[1] = seq;
            row.stream_start_known[0] = row.stream_start_known[1] = true;
            row.mss = 1460;
            senders[i][0] = &store.add_sender(number, Side::a);
            senders[i][1] = &store.add_sender(number, Side::b);
            for (SenderSummary* sender : senders[i]) step(*sender, -100, 0, 0);
        }
    }

    void step(SenderSummary& sender, int64_t at_ms, uint32_t sent, uint32_t outstanding) {
        WindowRow row;
        row.connection = sender.connection();
        row.sender = sender.side();
        row.time_ns = at_ms * ms;
        row.snd_nxt = seq + sent;
        row.snd_una = row.snd_nxt - outstanding;
        row.limit = SendLimit::application;
        store.add_window(sender, row);
    }

    void command(uint32_t connection, uint32_t cmd_sn, int64_t request_ms, int64_t response_ms,
                 bool immediate = false) {
        uint64_t number = 0;
        CommandRow& row = store.begin_command(number);
        row.connection = connection;
        row.session = 1;
        row.cmd_sn = cmd_sn;
        row.cmd_sn_known = true;
        row.request_ns = request_ms * ms;
        row.response_ns = response_ms * ms;
        row.request_packet = 1;
        row.response_packet = 2;
        CommandMarks& marks = store.command_marks(CommandNumber(number));
        marks.request_end = request;
        marks.has_request = marks.has_answer = marks.has_status = true;
        marks.immediate = immediate;
        marks.answer_end = marks.bytes_in = 600;
    }

    // The second command's parts, where the first one is acknowledged then, and was lost and sent again at 200 ms, or not.
    std::string parts(int64_t acknowledged_ms, bool lost, bool immediate = false, uint64_t number = 2) {
        SenderSummary& first = *senders[0][0];
        step(first, 0, request, request);
        if (lost) {
            LossRow row;
            row.connection = 1;
            row.sender = Side::a;
            row.time_ns = 200 * ms;
            row.seq = seq;
            row.length = request;
            row.kind = LossKind::rto;
            store.add_loss(first, row);
        }
        step(first, acknowledged_ms, request, 0);
        step(*senders[0][1], acknowledged_ms - 1, 600, 600);
        step(*senders[1][0], 1, request, request);
        step(*senders[1][0], 3, request, 0);
        step(*senders[1][1], 202, 600, 600);
        command(1, 7, 0, acknowledged_ms);
        command(2, 8, 1, 203, immediate);
        store.finish();
        const CommandBudget budget = TimeBudgets(store).of(CommandNumber(number));
        std::string text;
        for (size_t i = 0; i < budget_parts; ++i) {
            if (budget.parts()[i] == 0) continue;
            text += (text.empty() ? "" : ", ") + std::string(budget_part_name(static_cast<BudgetPart>(i))) +
                    " " + std::to_string(budget.parts()[i] / ms);
        }
        return text;
    }

    ResultStore store{ResultStore::Keep{}};
    SenderSummary* senders[2][2]{};
};

TEST_F(OverTwoConnections, ACommandWaitsForTheTimerOfTheOneBeforeIt) {
    EXPECT_EQ(parts(202, true), "request_path 1, timeout 199, target 1, return_path 1");
}

TEST_F(OverTwoConnections, ACommandWhosePredecessorCameIsTheTargets) {
    EXPECT_EQ(parts(2, false), "request_path 1, target 200, return_path 1");
}

TEST_F(OverTwoConnections, ASlowCommandOfASessionThatLacksCommandsIsNotKnownToBeTheTargets) {
    for (uint32_t i = 0; i < 40; ++i) command(2, 100 + 2 * i, -90, -88);
    EXPECT_EQ(parts(2, false, false, 42), "request_path 1, return_path 1, unknown 200");
}

TEST_F(OverTwoConnections, WithoutTheLeadingLoginASessionMayHaveOthers) {
    store.session(1).connections = 1;
    for (uint32_t i = 0; i < 40; ++i) command(2, 100 + 2 * i, -90, -88);
    EXPECT_EQ(parts(2, false, false, 42), "request_path 1, return_path 1, unknown 200");
}

TEST_F(OverTwoConnections, WhereOneConnectionWasAgreedOnNothingElseIsMissing) {
    store.session(1).connections = store.session(1).max_connections = 1;
    for (uint32_t i = 0; i < 40; ++i) command(2, 100 + 2 * i, -90, -88);
    EXPECT_EQ(parts(2, false, false, 42), "request_path 1, target 200, return_path 1");
}

TEST_F(OverTwoConnections, AnImmediateCommandWaitsForNone) {
    EXPECT_EQ(parts(202, true, true), "request_path 1, target 200, return_path 1");
}

}  // namespace
}  // namespace sanscope
