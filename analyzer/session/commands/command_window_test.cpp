// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/commands/command_window.h"

#include <gtest/gtest.h>

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

using test::ms;

TEST(CommandWindow, is_as_wide_as_it_was_at_the_widest) {
    CommandWindow window;
    SessionRow row;
    window.on_answer(Serial32(10), Serial32(13), 0, row);
    window.on_answer(Serial32(12), Serial32(13), 0, row);
    EXPECT_EQ(row.command_window, 4u);
    // MaxCmdSN one below ExpCmdSN shuts it (RFC 7143 §4.2.2.1); what is farther below makes no sense.
    window.on_answer(Serial32(14), Serial32(13), 0, row);
    window.on_answer(Serial32(20), Serial32(13), 0, row);
    EXPECT_EQ(row.command_window, 4u);
}

// Its initiator sends the next command so much later than the window opened.
SessionRow shut_for_10_ms(int64_t next_ns, int64_t longest_ns) {
    CommandWindow window;
    SessionRow row;
    window.on_command(Serial32(10), Serial32(11), 1 * ms);
    window.on_answer(Serial32(11), Serial32(11), 2 * ms, row);
    window.on_command(Serial32(11), Serial32(11), 3 * ms);
    window.on_answer(Serial32(12), Serial32(11), 5 * ms, row);
    window.on_answer(Serial32(12), Serial32(12), 13 * ms, row);
    window.on_answer(Serial32(12), Serial32(13), 13 * ms, row);
    window.on_command(Serial32(12), Serial32(13), 13 * ms + next_ns);
    window.finish(longest_ns, row);
    return row;
}

TEST(CommandWindow, is_shut_from_the_last_command_it_allows_until_it_opens_again) {
    const SessionRow row = shut_for_10_ms(ms, 4 * ms);
    EXPECT_EQ(row.command_window_shut_ns, 10 * ms);
    EXPECT_EQ(row.command_window_shuts, 1u);
}

TEST(CommandWindow, holds_up_no_initiator_that_has_nothing_to_send) {
    EXPECT_EQ(shut_for_10_ms(3 * ms, 4 * ms).command_window_shuts, 1u);
    const SessionRow row = shut_for_10_ms(5 * ms, 4 * ms);
    EXPECT_EQ(row.command_window_shuts, 0u);
    EXPECT_EQ(row.command_window_shut_ns, 0);
}

TEST(CommandWindow, holds_up_none_that_sends_nothing_more) {
    CommandWindow window;
    SessionRow row;
    window.on_command(Serial32(11), Serial32(11), 3 * ms);
    window.on_answer(Serial32(12), Serial32(13), 13 * ms, row);
    window.finish(ms, row);
    EXPECT_EQ(row.command_window_shuts, 0u);
}

// One command at a time, each as soon as the one before is answered, in a window of four: a shallow queue.
TEST(CommandWindow, is_not_shut_while_it_allows_more) {
    CommandWindow window;
    SessionRow row;
    for (uint32_t i = 0; i < 10; ++i) {
        window.on_command(Serial32(i), Serial32(i + 3), i * ms);
        window.on_answer(Serial32(i + 1), Serial32(i + 4), i * ms + ms / 2, row);
    }
    window.finish(ms, row);
    EXPECT_EQ(row.command_window_shuts, 0u);
    EXPECT_EQ(row.command_window, 4u);
}

TEST(CommandWindow, is_not_known_to_hold_anyone_up_where_the_round_trip_is_not) {
    EXPECT_EQ(shut_for_10_ms(ms, no_time).command_window_shuts, 0u);
}

TEST(CommandWindow, a_clock_that_goes_back_or_far_ahead_adds_nothing) {
    CommandWindow window;
    SessionRow row;
    window.on_command(Serial32(1), Serial32(1), 5 * ms);
    window.on_answer(Serial32(2), Serial32(2), 1 * ms, row);
    window.on_command(Serial32(2), Serial32(2), 5 * ms);
    window.on_answer(Serial32(3), Serial32(3), INT64_MAX, row);
    window.on_command(Serial32(3), Serial32(3), 6 * ms);
    window.on_answer(Serial32(4), Serial32(4), 7 * ms, row);
    window.on_command(Serial32(4), Serial32(4), 1 * ms);
    window.finish(60'000 * ms, row);
    EXPECT_EQ(row.command_window_shut_ns, 0);
}

}  // namespace
}  // namespace sanscope
