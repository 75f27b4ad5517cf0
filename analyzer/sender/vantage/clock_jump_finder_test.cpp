// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/vantage/clock_jump_finder.h"

#include <gtest/gtest.h>
#include <vector>

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

using test::ms;
constexpr int64_t start = 1'700'000'000'000 * ms;

// Two hosts that exchange a packet each 5 ms, which takes a millisecond, until they are silent for a while.
struct Exchange {
    int64_t packets_before = 200;
    int64_t silent_ns = 5000 * ms;
    // How much of that the clocks behind their TSval count.
    int64_t a_counts_ns = 0;
    int64_t b_counts_ns = 0;
    int64_t a_tick_ns = 1 * ms;
    int64_t b_tick_ns = 4 * ms;
    uint32_t first_timestamp = 0xffffff00u;  // comes round
};

std::vector<ClockJump> jumps_of(const Exchange& exchange) {
    ClockJumpFinder finder(1);
    std::vector<ClockJump> found;
    PacketNumber number = 0;
    for (int64_t i = 0; i < exchange.packets_before + 50; ++i) {
        const bool behind = i >= exchange.packets_before;
        for (const Side from : {Side::a, Side::b}) {
            const int64_t passed_ns = 5 * ms * i + (from == Side::a ? 0 : 1 * ms);
            const bool is_a = from == Side::a;
            const int64_t counted_ns =
                passed_ns + (behind ? (is_a ? exchange.a_counts_ns : exchange.b_counts_ns) : 0);
            const int64_t ticks = counted_ns / (is_a ? exchange.a_tick_ns : exchange.b_tick_ns);
            const int64_t time_ns = start + passed_ns + (behind ? exchange.silent_ns : 0);
            const auto* const jump = finder.on_packet(
                from, exchange.first_timestamp + static_cast<uint32_t>(ticks), ++number, time_ns);
            if (jump != nullptr) found.push_back(*jump);
        }
    }
    return found;
}

TEST(ClockJumpFinder, FindsTimeThatNeitherHostKnowsOf) {
    const auto found = jumps_of({});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].packet, 401u);
    EXPECT_EQ(found[0].end_ns, start + 1000 * ms + 5000 * ms);
    EXPECT_NEAR(static_cast<double>(found[0].end_ns - found[0].begin_ns), 5000.0 * ms, 8.0 * ms);
}

TEST(ClockJumpFinder, SilenceThatTheHostsKnowOfIsTime) {
    EXPECT_TRUE(jumps_of({.a_counts_ns = 5000 * ms, .b_counts_ns = 5000 * ms}).empty());
    EXPECT_TRUE(jumps_of({.a_counts_ns = 1000 * ms, .b_counts_ns = 1000 * ms}).empty()) << "a part of it";
}

TEST(ClockJumpFinder, AHostThatStoodStillAloneIsNotTheCapturesClock) {
    EXPECT_TRUE(jumps_of({.a_counts_ns = 5000 * ms}).empty());
    EXPECT_TRUE(jumps_of({.b_counts_ns = 5000 * ms}).empty());
}

TEST(ClockJumpFinder, OfTicksThatAreNotKnownNothingIsSaid) {
    EXPECT_TRUE(jumps_of({.packets_before = 10}).empty());
    // Longer than TSval takes to come round, nobody can tell.
    EXPECT_TRUE(jumps_of({.silent_ns = int64_t{50} * 86'400'000 * ms}).empty());
    EXPECT_TRUE(jumps_of({.silent_ns = 240 * ms}).empty()) << "too short";
}

TEST(ClockJumpFinder, FindsOneAfterAnother) {
    ClockJumpFinder finder(1);
    int found = 0;
    for (int64_t i = 0; i < 600; ++i) {
        const int64_t jumped_ns = i / 200 * 700 * ms;
        for (const Side from : {Side::a, Side::b}) {
            const auto timestamp = static_cast<uint32_t>(5 * i);
            const PacketNumber number = 2 * static_cast<PacketNumber>(i) + index_of(from);
            if (finder.on_packet(from, timestamp, number, start + 5 * i * ms + jumped_ns) != nullptr) ++found;
        }
    }
    EXPECT_EQ(found, 2);
}

}  // namespace
}  // namespace sanscope
