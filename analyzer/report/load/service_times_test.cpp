// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/load/service_times.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

constexpr int64_t millisecond = 1'000'000;

// Requests every 10 millisecond on a path of 1 millisecond, each acknowledged with the one behind it.
ConnectionWaits acknowledged_in_pairs() {
    ConnectionWaits waits;
    waits.least_rtt_ns = millisecond;
    for (int64_t pair = 0; pair < 20; ++pair)
        waits.unproven.add((20 * pair * millisecond) + millisecond,
                           (20 * pair * millisecond) + (11 * millisecond));
    waits.unproven.finish();
    waits.silences.finish();
    return waits;
}

TEST(UnprovenTime, EndsWithTheAcknowledgementOfWhatWasSent) {
    const ConnectionWaits waits = acknowledged_in_pairs();
    EXPECT_EQ(unproven_ns(40 * millisecond, 340 * millisecond, waits), 11 * millisecond);
    EXPECT_EQ(unproven_ns(50 * millisecond, 340 * millisecond, waits), millisecond);
    // Acknowledged at once: what comes later and is late is another's.
    EXPECT_EQ(unproven_ns(52 * millisecond, 340 * millisecond, waits), 0);
    EXPECT_EQ(unproven_ns(400 * millisecond, 700 * millisecond, waits), 0);
}

TEST(UnprovenTime, IsAllOfItWhereTheAcknowledgementCameWithTheAnswer) {
    ConnectionWaits waits;
    waits.least_rtt_ns = millisecond;
    waits.unproven.add(millisecond, 80 * millisecond);
    waits.unproven.finish();
    waits.silences.finish();
    EXPECT_EQ(unproven_ns(0, 80 * millisecond, waits), 80 * millisecond);
    EXPECT_EQ(unproven_ns(0, 60 * millisecond, waits), 60 * millisecond);
    EXPECT_EQ(unproven_ns(no_time, 60 * millisecond, waits), 0);
}

TEST(UnprovenTime, HoldsWhatASenderWasSilentForWheneverThatWas) {
    ConnectionWaits waits = acknowledged_in_pairs();
    waits.silences.add(200 * millisecond, 250 * millisecond);
    waits.silences.finish();
    EXPECT_EQ(unproven_ns(40 * millisecond, 340 * millisecond, waits), 61 * millisecond);
}

}  // namespace
}  // namespace sanscope
