// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/moments.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

TEST(Moments, TellsMeanAndDeviationOfAllValues) {
    Moments moments;
    EXPECT_FALSE(moments.known());
    EXPECT_EQ(moments.standard_deviation(), 0);
    EXPECT_EQ(moments.percent_deviation(), 0);
    for (const double value : {2, 4, 4, 4, 5, 5, 7, 9}) moments.add(value);
    EXPECT_TRUE(moments.known());
    EXPECT_EQ(moments.weight(), 8);
    EXPECT_DOUBLE_EQ(moments.mean(), 5);
    EXPECT_DOUBLE_EQ(moments.standard_deviation(), 2);
    EXPECT_DOUBLE_EQ(moments.percent_deviation(), 40);
}

TEST(Moments, AWeightIsSoManyTimesTheValue) {
    Moments weighted;
    weighted.add(10, 3);
    weighted.add(20, 0);
    weighted.add(50, 1);
    weighted.add(70, -1);
    Moments repeated;
    for (const double value : {10, 10, 10, 50}) repeated.add(value);
    EXPECT_DOUBLE_EQ(weighted.mean(), repeated.mean());
    EXPECT_DOUBLE_EQ(weighted.standard_deviation(), repeated.standard_deviation());
}

// A sum of squares would be off by more than the deviation itself.
TEST(Moments, ASmallDeviationBesideALargeMeanKeepsItsDigits) {
    Moments moments;
    for (int i = 0; i < 1000; ++i) moments.add(i % 2 == 0 ? 1e12 : 1e12 + 2);
    EXPECT_NEAR(moments.standard_deviation(), 1, 1e-3);
}

TEST(Moments, AddedInPartsTheyAreTheSame) {
    Moments first;
    Moments second;
    Moments all;
    for (int i = 1; i < 500; ++i) {
        (i < 120 ? first : second).add(i * i, i % 7);
        all.add(i * i, i % 7);
    }
    Moments sum;
    sum.add(Moments());
    sum.add(first);
    sum.add(second);
    EXPECT_NEAR(sum.mean(), all.mean(), 1e-9 * all.mean());
    EXPECT_NEAR(sum.standard_deviation(), all.standard_deviation(), 1e-9 * all.standard_deviation());
}

TEST(Moments, SinceAnEarlierCopyOnlyWhatCameAfterItCounts) {
    Moments moments;
    for (const double value : {100, 300, 900}) moments.add(value);
    const Moments before = moments;
    EXPECT_FALSE(moments.since(before).known());
    for (const double value : {2, 4, 4, 4, 5, 5, 7, 9}) moments.add(value);
    EXPECT_NEAR(moments.since(before).mean(), 5, 1e-9);
    EXPECT_NEAR(moments.since(before).standard_deviation(), 2, 1e-9);
    EXPECT_NEAR(moments.since({}).mean(), moments.mean(), 1e-9);
}

}  // namespace
}  // namespace sanscope
