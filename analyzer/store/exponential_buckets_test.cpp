// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/exponential_buckets.h"

#include <cmath>
#include <gtest/gtest.h>

namespace sanscope::exponential_buckets {
namespace {

size_t straightforward_place_of(int64_t duration_ns) {
    for (size_t place = 0; place + 1 < places; ++place) {
        const long double bound_ns = 1e9L * std::exp2(static_cast<long double>(index_of(place)) / per_octave);
        if (static_cast<long double>(duration_ns) <= bound_ns) return place;
    }
    return places - 1;
}

TEST(ExponentialBuckets, are_those_of_the_schema) {
    EXPECT_EQ(places, 242u);
    EXPECT_EQ(index_of(1), -159);
    EXPECT_EQ(index_of(places - 2), 80);
    EXPECT_DOUBLE_EQ(zero_threshold_seconds, std::exp2(double{index_of(0)} / per_octave));
    EXPECT_EQ(upper_bounds_ns[0], 953);
    EXPECT_EQ(upper_bounds_ns[size_t{octaves_below} * per_octave], 1'000'000'000);
    EXPECT_EQ(upper_bounds_ns[places - 2], 1'024'000'000'000);
    for (size_t place = 0; place + 1 < places; ++place) {
        const long double bound_ns = 1e9L * std::exp2(static_cast<long double>(index_of(place)) / per_octave);
        EXPECT_EQ(upper_bounds_ns[place], static_cast<int64_t>(std::floor(bound_ns))) << place;
    }
}

TEST(ExponentialBuckets, a_bound_is_in_the_bucket_that_it_ends) {
    for (size_t place = 0; place + 1 < places; ++place) {
        for (const int64_t away : {-2, -1, 0, 1, 2}) {
            const int64_t duration_ns = upper_bounds_ns[place] + away;
            EXPECT_EQ(place_of(duration_ns), place + (away > 0 ? 1 : 0)) << duration_ns;
            EXPECT_EQ(place_of(duration_ns), straightforward_place_of(duration_ns)) << duration_ns;
        }
    }
}

TEST(ExponentialBuckets, any_other_duration_is_where_a_straightforward_search_has_it) {
    for (int64_t duration_ns = 0; duration_ns < 5000; ++duration_ns)
        ASSERT_EQ(place_of(duration_ns), straightforward_place_of(duration_ns)) << duration_ns;
    // Each sixteenth of an octave, and what is right below and above where it begins.
    for (int bits = 4; bits < 42; ++bits) {
        for (int64_t part = 16; part < 32; ++part) {
            for (const int64_t away : {-1, 0, 1}) {
                const int64_t duration_ns = (part << (bits - 4)) + away;
                ASSERT_EQ(place_of(duration_ns), straightforward_place_of(duration_ns)) << duration_ns;
            }
        }
    }
    for (int64_t duration_ns = 5000; duration_ns < 3'000'000'000'000; duration_ns += duration_ns / 997)
        ASSERT_EQ(place_of(duration_ns), straightforward_place_of(duration_ns)) << duration_ns;
}

TEST(ExponentialBuckets, the_ends_take_what_is_beyond_them) {
    EXPECT_EQ(place_of(std::numeric_limits<int64_t>::min()), 0u);
    EXPECT_EQ(place_of(-1), 0u);
    EXPECT_EQ(place_of(0), 0u);
    EXPECT_EQ(place_of(1'024'000'000'001), places - 1);
    EXPECT_EQ(place_of(std::numeric_limits<int64_t>::max()), places - 1);
}

}  // namespace
}  // namespace sanscope::exponential_buckets
