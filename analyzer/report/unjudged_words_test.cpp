// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/unjudged_words.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

ConnectionRow whole() {
    ConnectionRow row;
    row.packets_out = row.packets_in = 100;
    row.rtt_min_ns = 1'000'000;
    return row;
}

TEST(UnjudgedWords, a_connection_that_is_judged_has_none) {
    EXPECT_TRUE(whole().tcp_is_judged());
    EXPECT_EQ(unjudged_words(whole()), "");
}

TEST(UnjudgedWords, one_direction) {
    ConnectionRow row = whole();
    row.packets_in = 0;
    EXPECT_EQ(unjudged_words(row), "one direction was not captured");
}

TEST(UnjudgedWords, pure_acknowledgements_filtered_away) {
    ConnectionRow row = whole();
    row.out.stretch_acks = 100;
    EXPECT_EQ(unjudged_words(row), "acknowledgements without data were not captured");
    row.out.pure_acks = 100;
    EXPECT_EQ(unjudged_words(row), "");
}

TEST(UnjudgedWords, clocks_that_the_round_trip_does_not_stand) {
    ConnectionRow row = whole();
    row.in.new_segments = row.in.late_segments = 100;
    row.in.late_ns = 300'000;
    EXPECT_EQ(unjudged_words(row), "the clocks of the two directions are apart");
    row.rtt_min_ns = 2'000'000;
    EXPECT_EQ(unjudged_words(row), "");
    row.clock_step_ns = 1'000'000;
    row.in.late_ns = 0;
    EXPECT_EQ(unjudged_words(row), "times are in steps of 1.00 ms");
}

TEST(UnjudgedWords, packets_stamped_in_batches) {
    ConnectionRow row = whole();
    row.rtt_min_ns = 2'000'000;
    row.batches_apart_ns = 4'000'000;
    EXPECT_EQ(unjudged_words(row), "packets were stamped in batches about 4.00 ms apart");
}

TEST(UnjudgedWords, packets_out_of_order) {
    ConnectionRow row = whole();
    row.out_of_order = true;
    EXPECT_EQ(unjudged_words(row), "packets are not in the order in which they passed");
}

TEST(UnjudgedWords, a_place_found_late) {
    ConnectionRow row = whole();
    row.place_found_late = true;
    EXPECT_EQ(unjudged_words(row), "where it was captured showed too late");
}

}  // namespace
}  // namespace sanscope
