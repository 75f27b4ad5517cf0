// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/report/testing/findings_fixture.h"

namespace sanscope {
namespace {

using test::Findings;
using test::ms;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

using Kind = Finding::Kind;

TEST_F(Findings, a_queue_on_the_path_is_told_of_the_side_that_fills_it_and_instead_of_its_window) {
    SenderSummary& target = add_target();
    SenderSummary& initiator = add_initiator();
    for (int64_t i = 0; i <= 100; ++i) {
        WindowRow row{.srtt_ns = 10 * ms, .snd_una = static_cast<uint32_t>(i) * 100'000, .in_flight = 90'000};
        row.limit = SendLimit::congestion;
        add_window(target, 10 * i, row);
        row.snd_una /= 2;
        add_window(initiator, 10 * i, row);
    }
    const Finding finding = find_one(Kind::path_queue);
    EXPECT_THAT(finding.title, HasSubstr("Data of target 10.0.0.2:3260 queued on the path at 10.0 MB/s: "
                                         "round-trip time 10.0 ms under load, 2.00 ms without"));
    EXPECT_THAT(
        finding.evidence,
        Contains(
            "the smoothed round-trip time (SRTT) was 10.0 ms on average under load, the minimum 2.00 ms"));
    EXPECT_EQ(finding.cost_ns, 1000 * ms);
    EXPECT_TRUE(find(Kind::congestion_window).empty());
}

// An acknowledgement across the jump makes a round trip of it.
TEST_F(Findings, a_queue_on_the_path_does_not_hold_a_jump_of_the_clock) {
    SenderSummary& target = add_target();
    int64_t srtt_ns = 10 * ms;
    for (int64_t i = 0; i <= 100; ++i) {
        if (i == 50) srtt_ns += 50 * ms;
        if (i > 50) srtt_ns -= (srtt_ns - 10 * ms) / 8;
        WindowRow row{.srtt_ns = srtt_ns, .snd_una = static_cast<uint32_t>(i) * 60'000, .in_flight = 90'000};
        row.limit = SendLimit::congestion;
        add_window(target, (6 * i) + (i < 50 ? 0 : 400), row);
    }
    EXPECT_THAT(find_one(Kind::path_queue).title, Not(HasSubstr("10.1 ms under load")));
    store.add_clock_jump({.connection = 1, .begin_ns = 300 * ms, .end_ns = 700 * ms, .packet = 700});
    EXPECT_THAT(find_one(Kind::path_queue).title, HasSubstr("round-trip time 10.1 ms under load"));
}

// Of a capture that was cut, only some of the commands are known: what is under way shows that the sender had not rested.
TEST_F(Findings, a_queue_on_the_path_is_told_where_most_commands_are_hidden) {
    SenderSummary& target = add_target();
    for (int64_t i = 0; i < 50; ++i) add_read(20 * i, 1);
    for (int64_t i = 0; i <= 1000; ++i) {
        WindowRow row{.srtt_ns = 10 * ms, .snd_una = static_cast<uint32_t>(i) * 10'000, .in_flight = 90'000};
        row.limit = SendLimit::congestion;
        add_window(target, i, row);
    }
    EXPECT_THAT(find_one(Kind::path_queue).title, HasSubstr("queued on the path at 10.0 MB/s"));
}

// The same rate over 20 ms and more, but nine tenths of it in a tenth of the time: an application's pace, not a port's.
TEST_F(Findings, bursts_faster_than_the_rate_show_that_the_path_carries_more) {
    SenderSummary& target = add_target();
    for (int64_t i = 0; i <= 100; ++i) {
        for (int64_t k = 0; k < 3; ++k) {
            WindowRow row{.srtt_ns = 10 * ms,
                          .snd_una = static_cast<uint32_t>(100'000 * i + 45'000 * k),
                          .snd_nxt = static_cast<uint32_t>(100'000 * i + 100'000),
                          .in_flight = 90'000};
            row.limit = SendLimit::congestion;
            add_window(target, 10 * i + k, row);
        }
    }
    EXPECT_TRUE(find(Kind::path_queue).empty());
}

}  // namespace
}  // namespace sanscope
