// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/budget/path_jitter.h"

#include <gtest/gtest.h>

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

using test::ms;

// So many answers of a connection, of which the last ones were late by so much.
void add(PathJitter& jitter, ConnectionNumber connection, int answers, int late, int64_t late_ns) {
    for (int i = 0; i < answers; ++i) jitter.add(connection, i < answers - late ? 0 : late_ns);
}

TEST(PathJitter, IsWhatOneInTenIsLateBy) {
    PathJitter jitter;
    add(jitter, 1, 100, 15, 4 * ms);
    jitter.finish();
    EXPECT_NEAR(static_cast<double>(jitter.of(1)), 4.0 * ms, 0.1 * ms);
}

TEST(PathJitter, RareDelaysAreNone) {
    PathJitter jitter;
    add(jitter, 1, 100, 5, 4 * ms);
    jitter.finish();
    EXPECT_EQ(jitter.of(1), 0);
}

TEST(PathJitter, DelaysWithinATickOfTimestampsAreNone) {
    PathJitter jitter;
    add(jitter, 1, 100, 100, ms * 9 / 10);
    jitter.finish();
    EXPECT_EQ(jitter.of(1), 0);
}

TEST(PathJitter, IsNoLongerThanAnyPathTakes) {
    PathJitter jitter;
    add(jitter, 1, 100, 100, int64_t{1} << 62);
    jitter.finish();
    EXPECT_EQ(jitter.of(1), PathJitter::longest_ns);
}

TEST(PathJitter, OfFewAnswersNothingIsKnown) {
    PathJitter jitter;
    add(jitter, 1, 19, 19, 4 * ms);
    jitter.finish();
    EXPECT_EQ(jitter.of(1), 0);
}

TEST(PathJitter, AnswersOfWhichItIsNotKnownDoNotCount) {
    PathJitter jitter;
    add(jitter, 1, 30, 30, 4 * ms);
    for (int i = 0; i < 1000; ++i) jitter.add(1, no_time);
    jitter.finish();
    EXPECT_NEAR(static_cast<double>(jitter.of(1)), 4.0 * ms, 0.1 * ms);
}

TEST(PathJitter, EachConnectionHasItsOwn) {
    PathJitter jitter;
    add(jitter, 1, 100, 50, 4 * ms);
    add(jitter, 2, 100, 50, 8 * ms);
    jitter.finish();
    EXPECT_LT(jitter.of(1), 5 * ms);
    EXPECT_GT(jitter.of(2), 7 * ms);
    EXPECT_EQ(jitter.of(3), 0);
}

}  // namespace
}  // namespace sanscope
