// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/events/capture_clock.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

using test::ms;
constexpr int64_t start = 1'700'000'000'000 * ms;

TEST(CaptureClock, TimesThatGoOnAreTheCapturesOwn) {
    CaptureClock clock;
    for (const int64_t at : {0 * ms, 5 * ms, 3 * ms, 5000 * ms, 4901 * ms, 4903 * ms}) {
        EXPECT_EQ(clock.continuous(start + at, 2 * ms), start + at);
        EXPECT_EQ(clock.captured(start + at), start + at);
    }
}

TEST(CaptureClock, GoesOnWhereItWasSetBack) {
    CaptureClock clock;
    EXPECT_EQ(clock.continuous(start, 2 * ms), start);
    EXPECT_EQ(clock.continuous(start + 10 * ms, 2 * ms), start + 10 * ms);
    for (int64_t at = 11 * ms; at < 60 * ms; at += ms) {
        const int64_t captured = start + at - 7000 * ms;
        const int64_t time = clock.continuous(captured, 2 * ms);
        EXPECT_EQ(time, start + at + ms) << "two milliseconds are taken to have passed in place of one";
        EXPECT_EQ(clock.captured(time), captured);
    }
    EXPECT_EQ(clock.captured(start + 10 * ms), start + 10 * ms) << "before the step";
    EXPECT_EQ(clock.captured(start + 11 * ms), start + 11 * ms) << "within it, by the clock before";
}

TEST(CaptureClock, GoesOnWhereItIsShownThatItWasSetBackByLittle) {
    CaptureClock clock;
    EXPECT_EQ(clock.continuous(start + 10 * ms, 2 * ms), start + 10 * ms);
    EXPECT_EQ(clock.continuous(start + 11 * ms - 20 * ms, 2 * ms, true), start + 12 * ms);
    for (int64_t at = 12 * ms; at < 60 * ms; at += ms)
        EXPECT_EQ(clock.continuous(start + at - 20 * ms, 2 * ms), start + at + ms)
            << "no packet takes it back";
    EXPECT_EQ(clock.captured(start + 40 * ms), start + 39 * ms - 20 * ms);
    EXPECT_EQ(clock.continuous(start + 60 * ms, 2 * ms, true), start + 81 * ms)
        << "not behind what was before";
}

TEST(CaptureClock, StepsAddUp) {
    CaptureClock clock;
    int64_t set = 0;
    int64_t last = 0;
    for (int64_t packet = 0; packet < 60; ++packet) {
        if (packet == 20 || packet == 40) set -= 500 * ms;
        const int64_t captured = start + packet * ms + set;
        const int64_t time = clock.continuous(captured, 1 * ms);
        EXPECT_EQ(time, start + packet * ms);
        EXPECT_EQ(clock.captured(time), captured);
        EXPECT_TRUE(packet == 0 || time > last);
        last = time;
    }
    EXPECT_EQ(clock.captured(start + 30 * ms), start + 30 * ms - 500 * ms);
}

// One packet, or three, with times of long before: those behind go on from those before.
TEST(CaptureClock, AFewWrongTimesAreNoStep) {
    for (const int64_t wrong : {1, 2, 3}) {
        CaptureClock clock;
        for (int64_t packet = 0; packet < 40; ++packet) {
            const bool is_wrong = packet >= 10 && packet < 10 + wrong;
            const int64_t captured = start + packet * ms - (is_wrong ? 3600'000 * ms : 0);
            const int64_t time = clock.continuous(captured, 0);
            if (!is_wrong) {
                EXPECT_EQ(time, captured) << packet;
                EXPECT_EQ(clock.captured(time), captured) << packet;
            }
        }
    }
}

TEST(CaptureClock, BeyondItsStepsTimesAreTakenAsTheyCome) {
    CaptureClock clock;
    int64_t captured = start;
    for (size_t step = 0; step < CaptureClock::most_steps; ++step) {
        for (int packet = 0; packet < 10; ++packet) clock.continuous(captured += ms, 0);
        captured -= 1000 * ms;
    }
    int64_t last = clock.continuous(captured, 0);
    for (int packet = 0; packet < 10; ++packet) last = clock.continuous(captured += ms, 0);
    EXPECT_EQ(clock.continuous(captured - 1000 * ms, 0), last - 1000 * ms);
}

TEST(CaptureClock, NoTimeOverflows) {
    constexpr int64_t most = within_reach(std::numeric_limits<int64_t>::max());
    constexpr int64_t least = within_reach(std::numeric_limits<int64_t>::min());
    CaptureClock clock;
    for (int round = 0; round < 20; ++round) {
        for (const int64_t captured : {most, least, most / 2, int64_t{0}, least / 2, most - 1}) {
            const int64_t time = clock.continuous(captured, std::numeric_limits<int64_t>::min());
            EXPECT_EQ(within_reach(time), time);
            clock.captured(time);
        }
    }
}

}  // namespace
}  // namespace sanscope
