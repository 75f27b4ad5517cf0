// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/tcp/stamp_batches.h"

#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace sanscope {
namespace {

constexpr int64_t us_in_ns = 1000;
constexpr int64_t ms_in_ns = 1000 * us_in_ns;
constexpr int64_t capture_begins_ns = 1'700'000'000'123'456'789;

struct Sender {
    int64_t tick_ns = ms_in_ns;            // of its timestamp clock
    int64_t most_apart_ns = 2 * ms_in_ns;  // from one segment to the next
};

// What becomes of a sender's segments, each stamped so; `stamp` has the moment at which it passed and how many were before it.
int64_t interval_of(const Sender& sender, const std::function<int64_t(int64_t, int)>& stamp,
                    int segments = 2000) {
    std::mt19937_64 random(1);
    StampBatches batches;
    int64_t sent_ns = 0;
    for (int i = 0; i < segments; ++i) {
        sent_ns += static_cast<int64_t>(random() % static_cast<uint64_t>(sender.most_apart_ns));
        batches.note(capture_begins_ns + stamp(sent_ns, i),
                     static_cast<uint32_t>(0xffff'fe00 + sent_ns / sender.tick_ns));
    }
    return batches.interval_ns();
}

// Handed over at the next multiple of `every_ns`, one after another.
int64_t in_batches(int64_t passed_ns, int number, int64_t every_ns) {
    return (passed_ns / every_ns + 1) * every_ns + number % 100 * us_in_ns;
}

TEST(StampBatches, OfSegmentsStampedOneByOneThereAreNone) {
    EXPECT_EQ(interval_of({}, [](int64_t passed_ns, int) { return passed_ns; }), 0);
    EXPECT_EQ(interval_of({.most_apart_ns = 20 * us_in_ns}, [](int64_t passed_ns, int) { return passed_ns; }),
              0);
    EXPECT_EQ(interval_of({.tick_ns = 10 * ms_in_ns}, [](int64_t passed_ns, int) { return passed_ns; }), 0);
    EXPECT_EQ(StampBatches().interval_ns(), 0);
}

TEST(StampBatches, AreApartAsTheSendersClockTells) {
    for (const int64_t every_ns : {4 * ms_in_ns, 15 * ms_in_ns, 60 * ms_in_ns}) {
        const int64_t found_ns = interval_of(
            {}, [=](int64_t passed_ns, int number) { return in_batches(passed_ns, number, every_ns); },
            20'000);
        EXPECT_LE(found_ns, every_ns);
        EXPECT_GE(found_ns, every_ns / 2);
    }
}

// What a path held up comes at once, now and then.
TEST(StampBatches, AreNotToldOfSegmentsThatAPathHoldsUpNowAndThen) {
    EXPECT_EQ(interval_of({},
                          [](int64_t passed_ns, int number) {
                              const bool held_up = passed_ns / (20 * ms_in_ns) % 4 == 0;
                              return held_up ? in_batches(passed_ns, number, 20 * ms_in_ns) : passed_ns;
                          }),
              0);
}

// Interrupt coalescing of a tenth of a ms_in_ns.
TEST(StampBatches, ShorterThanASendersTickAreNotTold) {
    EXPECT_EQ(
        interval_of({.most_apart_ns = 40 * us_in_ns},
                    [](int64_t passed_ns, int) { return passed_ns / (100 * us_in_ns) * 100 * us_in_ns; }),
        0);
}

TEST(StampBatches, OfTimesAndTimestampsFromAnywhereBreakNothing) {
    std::mt19937_64 random(3);
    StampBatches batches;
    for (int i = 0; i < 100'000; ++i) {
        const auto time_ns = static_cast<int64_t>(random() >> 2);
        batches.note(i % 3 == 0 ? time_ns : capture_begins_ns + i, static_cast<uint32_t>(random()));
    }
    EXPECT_GE(batches.interval_ns(), 0);
}

}  // namespace
}  // namespace sanscope
