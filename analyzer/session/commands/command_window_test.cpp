// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/commands/command_window.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

constexpr int64_t ms = 1'000'000;

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

TEST(CommandWindow, is_shut_from_the_last_command_it_allows_until_it_opens_again) {
    CommandWindow window;
    SessionRow row;
    window.on_command(Serial32(10), Serial32(11), 1 * ms);
    window.on_answer(Serial32(11), Serial32(11), 2 * ms, row);
    EXPECT_EQ(row.command_window_shut_ns, 0);
    window.on_command(Serial32(11), Serial32(11), 3 * ms);
    window.on_answer(Serial32(12), Serial32(11), 5 * ms, row);
    window.on_answer(Serial32(12), Serial32(12), 13 * ms, row);
    EXPECT_EQ(row.command_window_shut_ns, 10 * ms);
    EXPECT_EQ(row.command_window_shuts, 1u);
    window.on_answer(Serial32(12), Serial32(13), 20 * ms, row);
    EXPECT_EQ(row.command_window_shut_ns, 10 * ms);
}

TEST(CommandWindow, a_clock_that_goes_back_or_far_ahead_adds_nothing) {
    CommandWindow window;
    SessionRow row;
    window.on_command(Serial32(1), Serial32(1), 5 * ms);
    window.on_answer(Serial32(2), Serial32(2), 1 * ms, row);
    window.on_command(Serial32(2), Serial32(2), 5 * ms);
    window.on_answer(Serial32(3), Serial32(3), INT64_MAX, row);
    EXPECT_EQ(row.command_window_shut_ns, 0);
}

}  // namespace
}  // namespace sanscope
