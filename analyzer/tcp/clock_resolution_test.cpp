// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/tcp/clock_resolution.h"

#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace sanscope {
namespace {

constexpr int64_t begin_ns = 1'700'000'000'123'456'789;

// Of a connection whose packets come 0 to 3 ms apart, each stamped by this clock.
int64_t resolution_of(const std::function<int64_t(int64_t)>& stamp, size_t packets = 2000) {
    std::mt19937_64 random(1);
    ClockResolution clock;
    int64_t time_ns = begin_ns;
    for (size_t i = 0; i < packets; ++i) {
        time_ns += static_cast<int64_t>(random() % 3'000'000);
        clock.note(stamp(time_ns));
    }
    return clock.resolution_ns();
}

int64_t rounded(int64_t time_ns, int64_t unit_ns) {
    return time_ns / unit_ns * unit_ns;
}

TEST(ClockResolution, OfAFineClockIsNone) {
    EXPECT_EQ(resolution_of([](int64_t ns) { return ns; }), 0);
    EXPECT_EQ(resolution_of([](int64_t ns) { return rounded(ns, 1000); }), 0);
    EXPECT_EQ(ClockResolution().resolution_ns(), 0);
}

TEST(ClockResolution, OfMillisecondsIsThatPowerOfTen) {
    EXPECT_EQ(resolution_of([](int64_t ns) { return rounded(ns, 1'000'000); }), 1'000'000);
    EXPECT_EQ(resolution_of([](int64_t ns) { return rounded(ns, 10'000'000); }), 10'000'000);
}

TEST(ClockResolution, OfATickingClockIsItsTick) {
    for (const int64_t tick_ns : {int64_t{15'625'000}, int64_t{15'600'100}, int64_t{4'000'000},
                                  int64_t{3'333'333}, int64_t{976'562}}) {
        const auto ticking = [=](int64_t ns) { return rounded(ns, tick_ns) + 777; };
        EXPECT_NEAR(static_cast<double>(resolution_of(ticking)), static_cast<double>(tick_ns), 100)
            << tick_ns;
        const auto kept_in_us = [=](int64_t ns) { return rounded(rounded(ns, tick_ns) + 777, 1000); };
        EXPECT_NEAR(static_cast<double>(resolution_of(kept_in_us)), static_cast<double>(tick_ns), 100)
            << tick_ns;
    }
}

// Windows ticks 64 times a second, and 1024 times while a program asks for it.
TEST(ClockResolution, OfAClockWhoseTickChangesIsTheLongOne) {
    constexpr int64_t long_ns = 15'625'000;
    constexpr int64_t short_ns = 976'562;
    const auto changing = [](int64_t one_in) {
        return [=](int64_t ns) { return rounded(ns, ns / 500'000'000 % one_in == 0 ? long_ns : short_ns); };
    };
    EXPECT_NEAR(static_cast<double>(resolution_of(changing(2))), static_cast<double>(long_ns), 100);
    EXPECT_NEAR(static_cast<double>(resolution_of(changing(8))), static_cast<double>(short_ns), 100)
        << "the long one is of an eighth of the packets";
}

// An interface that hands packets over in batches, all with the same time, at moments of its own.
TEST(ClockResolution, OfPacketsStampedInBatchesIsNone) {
    std::mt19937_64 random(2);
    ClockResolution clock;
    int64_t time_ns = begin_ns;
    for (size_t i = 0; i < 2000; ++i) {
        if (i % 5 == 0) time_ns += 2'000'000 + static_cast<int64_t>(random() % 9'000'000);
        clock.note(time_ns);
    }
    EXPECT_EQ(clock.resolution_ns(), 0);
}

// A clock that is read for packets one after another, and never gives the same time twice.
TEST(ClockResolution, OfTimesAMicrosecondApartIsNone) {
    ClockResolution clock;
    clock.note(begin_ns);
    clock.note(begin_ns + 5'000'000);
    for (int64_t i = 0; i < 1000; ++i) clock.note(begin_ns + 5'000'000 + (i / 2 * 1000));
    EXPECT_EQ(clock.resolution_ns(), 0);
}

// A path of 10 ms, with one command at a time, whose packets come in pairs.
TEST(ClockResolution, OfPacketsThatAPathSpacesIsNone) {
    ClockResolution clock;
    for (int64_t i = 0; i < 1000; ++i) clock.note(begin_ns + (i / 2 * 10'003'500));
    EXPECT_EQ(clock.resolution_ns(), 0);
}

TEST(ClockResolution, OfFewPacketsIsNotTold) {
    EXPECT_EQ(resolution_of([](int64_t ns) { return rounded(ns, 15'625'000); }, 31), 0);
    EXPECT_NE(resolution_of([](int64_t ns) { return rounded(ns, 15'625'000); }, 2000), 0);
}

TEST(ClockResolution, TakesAnyTimes) {
    constexpr int64_t least = std::numeric_limits<int64_t>::min();
    constexpr int64_t most = std::numeric_limits<int64_t>::max();
    std::mt19937_64 random(3);
    ClockResolution clock;
    for (size_t i = 0; i < 1000; ++i) {
        const auto any = static_cast<int64_t>(random());
        for (const int64_t time_ns : {least, most, int64_t{0}, any, any ^ 1'000'000}) clock.note(time_ns);
    }
    EXPECT_EQ(clock.resolution_ns(), 0);
}

}  // namespace
}  // namespace sanscope
