// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/lab/link_model.h"

#include <gtest/gtest.h>
#include <vector>

namespace sanscope::lab {
namespace {

constexpr int64_t microsecond = 1'000;
constexpr int64_t millisecond = 1'000'000;

TEST(LinkModel, an_empty_link_delivers_at_once) {
    LinkModel link({}, 1);
    const Verdict verdict = link.offer(5 * millisecond, 1514, false);
    EXPECT_EQ(verdict.fate, Fate::forwarded);
    EXPECT_EQ(verdict.deliver_at_ns, 5 * millisecond);
}

TEST(LinkModel, packets_of_a_limited_link_follow_each_other_at_its_rate) {
    LinkModel link({.delay_ns = millisecond, .rate_bits_per_second = 100'000'000}, 1);
    EXPECT_EQ(link.offer(0, 1250, false).deliver_at_ns, millisecond + 100 * microsecond);
    EXPECT_EQ(link.offer(0, 1250, false).deliver_at_ns, millisecond + 200 * microsecond);
    EXPECT_EQ(link.offer(500 * microsecond, 1250, false).deliver_at_ns, millisecond + 600 * microsecond);
}

TEST(LinkModel, a_full_queue_drops_the_newest_until_a_frame_has_been_sent) {
    LinkModel link({.rate_bits_per_second = 100'000'000, .queue_packets = 2}, 1);
    EXPECT_TRUE(link.offer(0, 1250, false).delivered());
    EXPECT_TRUE(link.offer(0, 1250, false).delivered());
    EXPECT_EQ(link.offer(99 * microsecond, 1250, false).fate, Fate::queue_full);
    EXPECT_TRUE(link.offer(100 * microsecond, 1250, false).delivered());
}

TEST(LinkModel, what_is_larger_than_the_mtu_is_dropped_and_nothing_else) {
    LinkModel link({.mtu = 1500}, 1);
    EXPECT_TRUE(link.offer(0, 1514, false).delivered());
    EXPECT_EQ(link.offer(0, 1515, false).fate, Fate::too_large);
    EXPECT_TRUE(link.offer(0, 60, false).delivered());
}

TEST(LinkModel, an_outage_loses_what_comes_while_it_lasts) {
    LinkModel link({.outage_at_ns = 10 * millisecond, .outage_for_ns = 5 * millisecond}, 1);
    EXPECT_TRUE(link.offer(3 * millisecond, 60, false).delivered());
    EXPECT_TRUE(link.offer(13 * millisecond - 1, 60, false).delivered());
    EXPECT_EQ(link.offer(13 * millisecond, 60, false).fate, Fate::lost);
    EXPECT_EQ(link.offer(18 * millisecond - 1, 60, false).fate, Fate::lost);
    EXPECT_TRUE(link.offer(18 * millisecond, 60, false).delivered());
}

TEST(LinkModel, only_ecn_capable_packets_are_marked_by_a_long_queue) {
    LinkModel link({.rate_bits_per_second = 100'000'000, .ecn_mark_at_packets = 1}, 1);
    EXPECT_EQ(link.offer(0, 1250, true).fate, Fate::forwarded);
    EXPECT_EQ(link.offer(0, 1250, true).fate, Fate::marked);
    EXPECT_EQ(link.offer(0, 1250, false).fate, Fate::forwarded);
}

TEST(LinkModel, loss_comes_at_its_probability) {
    LinkModel link({.loss = 0.01}, 42);
    int lost = 0;
    for (int i = 0; i < 100'000; ++i) lost += !link.offer(i, 1514, false).delivered();
    EXPECT_NEAR(lost, 1000, 100);
}

TEST(LinkModel, the_same_seed_loses_the_same_packets_whatever_their_timing) {
    LinkModel one({.loss = 0.1}, 7);
    LinkModel other({.delay_ns = millisecond, .rate_bits_per_second = 1'000'000'000, .loss = 0.1}, 7);
    for (int i = 0; i < 1000; ++i) {
        EXPECT_EQ(one.offer(i * millisecond, 60, false).delivered(),
                  other.offer(i * 3 * millisecond, 1514, false).delivered());
    }
}

TEST(LinkModel, bursts_of_loss_have_the_mean_length_asked_for) {
    LinkModel link({.burst_start = 0.01, .burst_end = 0.25}, 3);
    int lost = 0;
    int bursts = 0;
    bool before = false;
    for (int i = 0; i < 200'000; ++i) {
        const bool now = link.offer(i, 1514, false).fate == Fate::lost_in_burst;
        lost += now;
        bursts += now && !before;
        before = now;
    }
    EXPECT_NEAR(static_cast<double>(lost) / bursts, 4.0, 0.3);
}

TEST(LinkModel, jitter_keeps_the_order) {
    LinkModel link({.delay_ns = millisecond, .jitter_ns = millisecond}, 5);
    int64_t last = 0;
    for (int i = 0; i < 1000; ++i) {
        const int64_t at = link.offer(i * microsecond, 1514, false).deliver_at_ns;
        EXPECT_GE(at, last);
        last = at;
    }
}

TEST(LinkModel, a_reordered_packet_is_passed_by_its_successors) {
    LinkModel link({.delay_ns = millisecond, .reorder = 0.5, .reorder_by_ns = 800 * microsecond}, 9);
    bool seen = false;
    for (int i = 0; i < 100; ++i) {
        const Verdict verdict = link.offer(i * millisecond, 1514, false);
        if (verdict.fate != Fate::reordered) continue;
        seen = true;
        EXPECT_EQ(verdict.deliver_at_ns, (i + 1) * millisecond + 800 * microsecond);
    }
    EXPECT_TRUE(seen);
}

TEST(LinkModel, a_stall_holds_everything_until_its_end) {
    LinkModel link({.stall_at_ns = 10 * millisecond, .stall_for_ns = 5 * millisecond}, 1);
    EXPECT_EQ(link.offer(100 * millisecond, 60, false).deliver_at_ns, 100 * millisecond);
    EXPECT_EQ(link.offer(111 * millisecond, 60, false).deliver_at_ns, 115 * millisecond);
    EXPECT_EQ(link.offer(114 * millisecond, 60, false).deliver_at_ns, 115 * millisecond);
    EXPECT_TRUE(link.offer(114 * millisecond, 60, false).stalled);
    EXPECT_EQ(link.offer(116 * millisecond, 60, false).deliver_at_ns, 116 * millisecond);
    EXPECT_FALSE(link.offer(117 * millisecond, 60, false).stalled);
}

TEST(LinkModel, one_bare_acknowledgement_is_lost_once_it_is_time) {
    LinkModel link({.lose_ack_at_ns = 10 * millisecond}, 1);
    const auto delivered = [&](int64_t at_ms, bool bare_ack) {
        return link.offer(at_ms * millisecond, 66, false, bare_ack).delivered();
    };
    EXPECT_TRUE(delivered(0, true));
    EXPECT_TRUE(delivered(9, true)) << "too early";
    EXPECT_TRUE(delivered(11, false)) << "it carries data";
    EXPECT_FALSE(delivered(12, true));
    EXPECT_TRUE(delivered(13, true)) << "only one";
}

TEST(LinkModel, a_path_that_changes_keeps_the_order_of_what_is_on_it) {
    LinkModel link(
        {.delay_ns = 10 * millisecond, .change_at_ns = 5 * millisecond, .changed_delay_ns = 2 * millisecond},
        1);
    EXPECT_EQ(link.offer(0, 60, false).deliver_at_ns, 10 * millisecond);
    EXPECT_EQ(link.offer(4 * millisecond, 60, false).deliver_at_ns, 14 * millisecond);
    EXPECT_EQ(link.offer(5 * millisecond, 60, false).deliver_at_ns, 14 * millisecond) << "it would be 7";
    EXPECT_EQ(link.offer(20 * millisecond, 60, false).deliver_at_ns, 22 * millisecond);
}

TEST(LinkModel, a_rate_that_changes_holds_for_what_comes_then) {
    LinkModel link(
        {.rate_bits_per_second = 8'000'000, .change_at_ns = 1, .changed_rate_bits_per_second = 80'000'000},
        1);
    EXPECT_EQ(link.offer(0, 1000, false).deliver_at_ns, millisecond);
    EXPECT_EQ(link.offer(5 * millisecond, 1000, false).deliver_at_ns, 5 * millisecond + 100 * microsecond);
}

}  // namespace
}  // namespace sanscope::lab
