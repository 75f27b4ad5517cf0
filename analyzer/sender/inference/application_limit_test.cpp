// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/inference/application_limit.h"

#include <cstdint>
#include <gtest/gtest.h>

#include "analyzer/sender/candidates/paced_candidate.h"
#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {
namespace {

constexpr uint32_t full = 1448;

// A sender with one full segment in flight, which sends one of `length` and then another.
SenderState after_segment_of(uint32_t length, uint32_t window) {
    SenderState state;
    state.mss = full;
    state.now_us = 1'000'000;
    state.last_sent_us = state.now_us - 20;
    state.packets_out = 1;
    state.snd_wnd = window;
    state.snd_wnd_known = true;
    state.wnd_end = state.snd_nxt + window;
    PacedCandidate paced;
    paced.init(state);
    ApplicationLimit application;
    application.before_new_data(state, length, paced);
    state.snd_nxt += length;
    state.last_sent_us = state.now_us;
    application.after_new_data(state, false, paced);
    state.now_us += 20;
    application.before_new_data(state, full, paced);
    return state;
}

TEST(ApplicationLimit, ShowsInASegmentThatIsNotFull) {
    EXPECT_EQ(after_segment_of(full, 10 * full).app_limited, 0u);
    const SenderState state = after_segment_of(700, 10 * full);
    EXPECT_EQ(state.app_limited, 1u);
    EXPECT_EQ(state.surely_app_limited, 0u)
        << "it may wait for room in its socket while others are in flight";
}

// tcp_mss_split_point(): what the receiver's window has room for is sent, though more waits.
TEST(ApplicationLimit, DoesNotShowAtTheEdgeOfTheReceiversWindow) {
    EXPECT_EQ(after_segment_of(700, 700).app_limited, 0u);
    EXPECT_EQ(after_segment_of(700, 1000).app_limited, 0u);
    EXPECT_NE(after_segment_of(700, 700 + full).app_limited, 0u);
}

}  // namespace
}  // namespace sanscope
