// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/inference/unscaled_window.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

constexpr int64_t full_segment = 1448;

class UnscaledWindows : public testing::Test {
  protected:
    void hears(uint32_t window) {
        state.snd_wnd = window;
        unscaled.on_ack(state);
    }
    // So much is in flight then.
    void sends(uint32_t bytes, int times = 1) {
        state.snd_nxt = state.snd_una + bytes;
        for (int i = 0; i < times; ++i) unscaled.on_sent(state);
    }
    bool may_be_full() const { return unscaled.may_be_full(state, full_segment); }

    SenderState state;
    UnscaledWindow unscaled;
};

TEST_F(UnscaledWindows, are_unknown_until_one_came) {
    sends(1'000'000, 100);
    EXPECT_FALSE(may_be_full());
}

TEST_F(UnscaledWindows, of_idle_hosts_are_no_smaller_than_their_buffers) {
    hears(501);
    sends(96);
    EXPECT_FALSE(may_be_full());
    sends(64'128 - 1000);
    EXPECT_TRUE(may_be_full());
}

TEST_F(UnscaledWindows, may_be_full_as_far_as_nothing_went_beyond) {
    hears(40'000);
    sends(30'000);
    EXPECT_FALSE(may_be_full());
    sends(39'000);
    EXPECT_TRUE(may_be_full());
}

TEST_F(UnscaledWindows, hold_what_was_in_flight_again_and_again) {
    hears(40'000);
    sends(100'000, 7);
    EXPECT_TRUE(may_be_full()) << "an acknowledgement may be missing";
    sends(100'000, 9);
    EXPECT_FALSE(may_be_full()) << "of 40 kB, 160 at least";
    sends(159'000);
    EXPECT_TRUE(may_be_full());
}

TEST_F(UnscaledWindows, that_open_wider_later_were_nearly_shut_before) {
    hears(501);
    hears(30'000);
    sends(50'000);
    EXPECT_FALSE(may_be_full()) << "60 kB at least";
    sends(60'000);
    EXPECT_TRUE(may_be_full());
}

TEST_F(UnscaledWindows, shrink_with_what_the_header_says) {
    hears(501);
    hears(8);
    sends(96);
    EXPECT_TRUE(may_be_full());
}

TEST_F(UnscaledWindows, are_not_asked_where_the_scale_is_known) {
    hears(501);
    sends(100'000);
    state.snd_wnd_known = true;
    EXPECT_FALSE(may_be_full());
}

}  // namespace
}  // namespace sanscope
