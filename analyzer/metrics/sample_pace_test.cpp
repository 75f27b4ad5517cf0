// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/metrics/sample_pace.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Moment = SamplePace::Moment;

TEST(SamplePace, the_first_one_begins_at_once_and_is_the_only_one) {
    SamplePace pace;
    const Moment start{seconds(100), seconds(1)};
    EXPECT_TRUE(pace.may_begin(start));
    pace.began(start);
    EXPECT_FALSE(pace.may_begin({seconds(200), seconds(100)}));
    EXPECT_FALSE(pace.is_long_enough({seconds(101), seconds(1)}));
    EXPECT_TRUE(pace.is_long_enough({seconds(102), seconds(1)}));
}

TEST(SamplePace, it_takes_a_share_of_the_process_time) {
    SamplePace pace;
    pace.began({});
    pace.ended({seconds(1), seconds(1)}, milliseconds(10));
    EXPECT_FALSE(pace.may_begin({seconds(2), milliseconds(5999)}));
    EXPECT_TRUE(pace.may_begin({seconds(2), milliseconds(6000)}));
}

TEST(SamplePace, a_process_that_rests_is_sampled_all_the_same) {
    SamplePace pace;
    pace.began({});
    pace.ended({seconds(1), seconds(1)}, milliseconds(1));
    EXPECT_FALSE(pace.may_begin({milliseconds(5999), seconds(1)}));
    EXPECT_TRUE(pace.may_begin({seconds(6), seconds(1)}));
}

TEST(SamplePace, time_is_that_of_this_process) {
    const Moment before = Moment::now();
    volatile unsigned work = 0;
    while (Moment::now().process == before.process) work = work + 1;
    const Moment after = Moment::now();
    EXPECT_GT(after.process, before.process);
    EXPECT_GE(after.clock, before.clock);
}

}  // namespace
}  // namespace sanscope
