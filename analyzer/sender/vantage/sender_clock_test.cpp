// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/vantage/sender_clock.h"

#include <cstdint>
#include <gtest/gtest.h>

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

using test::ms;
using test::second;
using test::us;

// A host whose tick `first_tick` began at `phase_ns`.
struct Host {
    int64_t tick_ns = ms;
    int64_t phase_ns = 0;
    uint32_t first_tick = 1000;
    uint32_t timestamp(int64_t at_ns) const {
        return first_tick + static_cast<uint32_t>((at_ns - phase_ns) / tick_ns);
    }
};

// Segments every `gap_ns`, each `delay_ns` under way.
SenderClock watched(const Host& host, int64_t for_ns, int64_t gap_ns, int64_t delay_ns = 5 * ms) {
    SenderClock clock;
    for (int64_t t = host.phase_ns; t < host.phase_ns + for_ns; t += gap_ns) {
        clock.on_arrival(host.timestamp(t), t + delay_ns);
    }
    return clock;
}

TEST(SenderClock, TicksInUseAreTold) {
    for (const int64_t tick_ns : {us, ms, 4 * ms, 10 * ms, 100 * ms}) {
        const Host host{tick_ns, 3 * second, 77};
        EXPECT_EQ(watched(host, 4 * second, 700 * us).tick_ns(), tick_ns);
    }
}

TEST(SenderClock, ClockThatNobodyUsesIsNone) {
    EXPECT_FALSE(watched(Host{37 * ms, 0, 1}, 10 * second, ms).ticking());
}

TEST(SenderClock, FewTicksTellNothingYet) {
    EXPECT_FALSE(watched(Host{}, 5 * ms, us).ticking());
}

TEST(SenderClock, BoundsCloseInOnTheBeginningOfTicks) {
    const Host host{ms, 123'456, 1000};
    SenderClock clock = watched(host, second, 100 * us);
    for (int64_t t = second; t < 2 * second; t += 707 * us) {
        clock.sent_after(host.timestamp(t), t - 10 * us);
        clock.sent_before(host.timestamp(t), t + 10 * us);
    }
    const int64_t tick_begin = host.phase_ns + 1500 * ms;
    const uint32_t timestamp = host.timestamp(tick_begin);
    EXPECT_NEAR(static_cast<double>(clock.not_before(timestamp)), static_cast<double>(tick_begin), 15.0 * us);
    EXPECT_NEAR(static_cast<double>(clock.before(timestamp)), static_cast<double>(tick_begin + ms),
                15.0 * us);
    EXPECT_LE(clock.not_before(timestamp), tick_begin);
}

TEST(SenderClock, NothingIsSaidBeforeBoundsAreKnown) {
    const SenderClock clock = watched(Host{}, second, ms);
    EXPECT_EQ(clock.not_before(5), no_time);
    EXPECT_EQ(clock.before(5), no_time);
}

TEST(SenderClock, WhatWasSentAfterPrevailsOverWhatWasSentBefore) {
    SenderClock clock = watched(Host{}, second, ms);
    clock.sent_after(1100, 100 * ms + 900 * us);
    clock.sent_before(1100, 99 * ms);  // held up: contradicts
    EXPECT_EQ(clock.not_before(1100), 99 * ms + 900 * us);
    EXPECT_EQ(clock.before(1100), 100 * ms + 900 * us);
}

TEST(SenderClock, TimestampsWrap) {
    const Host host{ms, 0, 0xffffff00};
    SenderClock clock = watched(host, second, 300 * us);
    ASSERT_TRUE(clock.ticking());
    clock.sent_after(host.timestamp(200 * ms), 200 * ms + 999 * us);
    EXPECT_EQ(clock.not_before(host.timestamp(400 * ms)), 400 * ms - us);
}

TEST(SenderClock, BoundsWearOffAsClocksDriftApart) {
    const Host host;
    SenderClock clock = watched(host, second, ms);
    clock.sent_after(host.timestamp(500 * ms), 501 * ms);  // as tight as can be, and wrong by now
    for (int64_t t = second; t < 8 * second; t += ms) {
        clock.on_arrival(host.timestamp(t), t + 5 * ms);
        clock.sent_after(host.timestamp(t), t + 300 * us);
    }
    EXPECT_EQ(clock.not_before(host.timestamp(8 * second)), 8 * second - 700 * us);
}

TEST(SenderClock, AnythingMayCome) {
    SenderClock clock;
    uint32_t random = 12345;
    for (int i = 0; i < 100'000; ++i) {
        random = random * 1664525 + 1013904223;
        const int64_t at = (static_cast<int64_t>(random) << 31) * (i % 3 == 0 ? -1 : 1);
        clock.on_arrival(random * 2654435761u, at);
        clock.sent_after(random, at);
        clock.sent_before(random ^ 0x80000000u, at);
        if (clock.ticking()) {
            EXPECT_GT(clock.tick_ns(), 0);
            EXPECT_LE(clock.tick_ns(), 1'000'000'000) << "RFC 7323 section 5.4: a tick is a second at most";
        }
        for (const int64_t moment : {clock.not_before(random), clock.before(random)}) {
            if (moment == no_time) continue;
            EXPECT_LT(moment < 0 ? -moment : moment, int64_t{1} << 62);
        }
    }
}

}  // namespace
}  // namespace sanscope
