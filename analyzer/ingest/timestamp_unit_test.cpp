// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/timestamp_unit.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>

namespace sanscope {
namespace {

constexpr int64_t latest = std::numeric_limits<int64_t>::max();
constexpr int64_t earliest = std::numeric_limits<int64_t>::min();
constexpr uint8_t power_of_two = 0x80;

TEST(TimestampUnit, DefaultsToMicroseconds) {
    EXPECT_EQ(TimestampUnit().to_ns(1'700'000'000'123'456), 1'700'000'000'123'456'000);
}

TEST(TimestampUnit, ReadsEveryPowerOfTenThatDividesASecond) {
    EXPECT_EQ(TimestampUnit(0).to_ns(1'700'000'000), 1'700'000'000'000'000'000);
    EXPECT_EQ(TimestampUnit(3).to_ns(1'700'000'000'123), 1'700'000'000'123'000'000);
    EXPECT_EQ(TimestampUnit(9).to_ns(1'700'000'000'123'456'789), 1'700'000'000'123'456'789);
}

TEST(TimestampUnit, RoundsUnitsShorterThanANanosecondDown) {
    EXPECT_EQ(TimestampUnit(12).to_ns(1'999), 1);
    EXPECT_EQ(TimestampUnit(28).to_ns(std::numeric_limits<uint64_t>::max() >> 1), 0);
    EXPECT_EQ(TimestampUnit(28).to_ns(std::numeric_limits<uint64_t>::max()), 1);
    EXPECT_EQ(TimestampUnit(29).to_ns(std::numeric_limits<uint64_t>::max()), 0);
    EXPECT_EQ(TimestampUnit(127).to_ns(std::numeric_limits<uint64_t>::max()), 0);
}

TEST(TimestampUnit, ReadsPowersOfTwo) {
    EXPECT_EQ(TimestampUnit(power_of_two | 0).to_ns(5), 5'000'000'000);
    EXPECT_EQ(TimestampUnit(power_of_two | 10).to_ns(1), 976'562);
    EXPECT_EQ(TimestampUnit(power_of_two | 32).to_ns(uint64_t{1'700'000'000} << 32 | 0x80000000u),
              1'700'000'000'500'000'000);
    EXPECT_EQ(TimestampUnit(power_of_two | 64).to_ns(uint64_t{1} << 63), 500'000'000);
    EXPECT_EQ(TimestampUnit(power_of_two | 127).to_ns(std::numeric_limits<uint64_t>::max()), 0);
}

TEST(TimestampUnit, AddsTheOffset) {
    EXPECT_EQ(TimestampUnit(6, 1'000).to_ns(5), 1'000'000'005'000);
    EXPECT_EQ(TimestampUnit(6, -1'000).to_ns(5), -999'999'995'000);
    EXPECT_EQ(TimestampUnit(power_of_two | 1, 1).to_ns(1), 1'500'000'000);
    EXPECT_EQ(TimestampUnit(power_of_two | 1, -7).to_ns(0), -7'000'000'000);
}

TEST(TimestampUnit, GivesTheNearestTimeThereIsForOneBeyond) {
    EXPECT_EQ(TimestampUnit(0).to_ns(std::numeric_limits<uint64_t>::max() >> 1), latest);
    EXPECT_EQ(TimestampUnit(9, 9'223'372'036).to_ns(std::numeric_limits<uint64_t>::max() >> 1), latest);
    EXPECT_EQ(TimestampUnit(6, earliest).to_ns(1), earliest);
    EXPECT_EQ(TimestampUnit(6, latest).to_ns(0), latest);
    EXPECT_EQ(TimestampUnit(6, earliest).to_ns(0), earliest);
}

TEST(TimestampUnit, TakesAnImpossiblyLargeCountForANegativeOne) {
    EXPECT_EQ(TimestampUnit(6).to_ns(uint64_t{0} - 505'000'000), -505'000'000'000);
    EXPECT_EQ(TimestampUnit(9).to_ns(uint64_t{0} - 1), -1);
    // As unsigned it is a time in 2097, so that it stays one.
    EXPECT_EQ(TimestampUnit(power_of_two | 32).to_ns(uint64_t{4'000'000'000} << 32),
              4'000'000'000'000'000'000);
}

TEST(TimestampUnit, EveryResolutionHandlesEveryExtreme) {
    for (unsigned resolution = 0; resolution < 256; ++resolution) {
        for (const int64_t offset : {earliest, int64_t{-1}, int64_t{0}, int64_t{1}, latest}) {
            const TimestampUnit unit(static_cast<uint8_t>(resolution), offset);
            EXPECT_LE(unit.to_ns(0), unit.to_ns(1)) << resolution << ' ' << offset;
            EXPECT_LE(unit.to_ns(1), unit.to_ns(uint64_t{1} << 62)) << resolution << ' ' << offset;
            (void)unit.to_ns(std::numeric_limits<uint64_t>::max());
        }
    }
}

TEST(TimestampUnit, TicksOfATimeAreItsOwnOrTheLatestBefore) {
    constexpr int64_t now = 1'700'000'000'123'456'789;
    for (const uint8_t resolution :
         {uint8_t{0}, uint8_t{3}, uint8_t{6}, uint8_t{9}, uint8_t{10}, uint8_t{0x80}, uint8_t{0x8a},
          uint8_t{0x94}, uint8_t{0x9e}, uint8_t{0xa1}}) {
        for (const int64_t offset : {int64_t{0}, int64_t{1'000'000'000}, int64_t{-1000}}) {
            const TimestampUnit unit(resolution, offset);
            const uint64_t ticks = unit.to_ticks(now);
            EXPECT_LE(unit.to_ns(ticks), now) << int{resolution};
            EXPECT_GT(unit.to_ns(ticks + 1), unit.to_ns(ticks) == now ? now - 1 : now) << int{resolution};
            // What ticks make a time come back as that time.
            EXPECT_EQ(unit.to_ns(unit.to_ticks(unit.to_ns(ticks))), unit.to_ns(ticks)) << int{resolution};
        }
    }
    EXPECT_EQ(TimestampUnit(9).to_ticks(now), uint64_t{now});
    EXPECT_EQ(TimestampUnit(6).to_ticks(now), 1'700'000'000'123'456u);
}

TEST(TimestampUnit, TicksOfTimesBeyondAllOfThemAreTheNearest) {
    EXPECT_EQ(TimestampUnit(6, 1000).to_ticks(0), 0u);
    EXPECT_EQ(TimestampUnit(6).to_ticks(earliest), 0u);
    EXPECT_EQ(TimestampUnit(127).to_ticks(latest), 0u);
    EXPECT_EQ(TimestampUnit(0xff).to_ticks(latest), std::numeric_limits<uint64_t>::max());
    EXPECT_EQ(TimestampUnit(0xbf, earliest).to_ticks(latest), std::numeric_limits<uint64_t>::max());
    EXPECT_EQ(TimestampUnit(28, earliest).to_ticks(latest), std::numeric_limits<uint64_t>::max());
    EXPECT_EQ(TimestampUnit(9).to_ticks(latest), uint64_t{latest});
}

}  // namespace
}  // namespace sanscope
