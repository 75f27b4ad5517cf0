// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/inference/send_limit.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {
namespace {

class SendLimits : public testing::Test {
  protected:
    SendLimits() {
        state.snd_wnd_known = true;
        state.app_limited = 1;
    }
    // Of a sender that has so much in flight, of a window of so many bytes.
    SendLimit of(uint32_t in_flight, uint32_t window) {
        state.snd_wnd = window;
        state.max_window = std::max(state.max_window, window);
        state.snd_nxt = state.snd_una + in_flight;
        state.wnd_end = state.snd_una + window;
        state.packets_out = in_flight > 0 ? 1 : 0;
        return send_limit(state, 10, 1, 1, false, false);
    }

    SenderState state;
};

TEST_F(SendLimits, by_the_receiver_where_no_segment_has_room) {
    state.mss = 1448;
    EXPECT_EQ(of(62'000, 64'000), SendLimit::application);
    EXPECT_EQ(of(63'000, 64'000), SendLimit::receiver);
    EXPECT_EQ(of(0, 1000), SendLimit::receiver);
}

TEST_F(SendLimits, segments_of_a_loopback_interface_are_no_larger_than_half_the_window) {
    state.mss = 65'483;
    EXPECT_EQ(of(384, 65'536), SendLimit::application);
    EXPECT_EQ(of(40'000, 65'536), SendLimit::receiver);
    EXPECT_EQ(of(384, 300), SendLimit::receiver) << "a window that has shrunk";
}

TEST_F(SendLimits, a_window_that_was_always_tiny_is_filled_by_one_segment) {
    state.mss = 1448;
    EXPECT_EQ(of(0, 500), SendLimit::application);
    EXPECT_EQ(of(400, 500), SendLimit::receiver);
}

// tcp_write_xmit() sends a segment that is not full only once it is the last: what a paced sender waits with ends in a full one.
TEST_F(SendLimits, by_pacing_only_behind_a_full_segment) {
    state.snd_wnd_known = false;
    state.app_limited = 0;
    state.packets_out = 4;
    constexpr uint32_t cwnd = 20;
    EXPECT_EQ(send_limit(state, cwnd, 1, 1, true, true), SendLimit::pacing);
    EXPECT_EQ(send_limit(state, cwnd, 1, 1, false, true), SendLimit::application);
    EXPECT_EQ(send_limit(state, cwnd, 1, 1, true, false), SendLimit::application);
}

}  // namespace
}  // namespace sanscope
