// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/time_spans.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

// [0, 3], [10, 13], [20, 23] …
TimeSpans combs(int64_t teeth) {
    TimeSpans spans;
    for (int64_t i = 0; i < teeth; ++i) spans.add(10 * i, 10 * i + 3);
    spans.finish();
    return spans;
}

int64_t in_combs(int64_t begin_ns, int64_t end_ns, int64_t teeth) {
    int64_t sum = 0;
    for (int64_t at = begin_ns; at < end_ns; ++at) sum += at >= 0 && at < 10 * teeth && at % 10 < 3 ? 1 : 0;
    return sum;
}

TEST(TimeSpans, TellsTheEndOfTheFirstStretchBehindAMoment) {
    const TimeSpans spans = combs(3);
    EXPECT_EQ(spans.end_of_first_ns(-5, -1), std::nullopt);
    EXPECT_EQ(spans.end_of_first_ns(-5, 0), 3);
    EXPECT_EQ(spans.end_of_first_ns(2, 2), 3);
    EXPECT_EQ(spans.end_of_first_ns(3, 9), std::nullopt);
    EXPECT_EQ(spans.end_of_first_ns(3, 10), 13);
    EXPECT_EQ(spans.end_of_first_ns(23, 100), std::nullopt);
}

TEST(TimeSpans, TellsWhatOfAStretchIsInItHoweverFarItReaches) {
    for (const int64_t teeth : {1, 2, 17, 40}) {
        const TimeSpans spans = combs(teeth);
        SpanWalk walk(spans);
        for (int64_t begin = -5; begin < 10 * teeth + 5; ++begin) {
            for (int64_t end = begin; end < 10 * teeth + 15; ++end) {
                ASSERT_EQ(spans.overlap_ns(begin, end), in_combs(begin, end, teeth)) << begin << ' ' << end;
                ASSERT_EQ(walk.overlap_ns(begin, end), in_combs(begin, end, teeth)) << begin << ' ' << end;
            }
        }
    }
}

TEST(TimeSpans, IsEmptyBeforeAnythingWasAdded) {
    TimeSpans spans;
    spans.finish();
    EXPECT_EQ(spans.overlap_ns(0, 10), 0);
}

}  // namespace
}  // namespace sanscope
