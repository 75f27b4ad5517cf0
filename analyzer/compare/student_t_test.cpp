// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/compare/student_t.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

// Two-sided 5 % and 1 % points as any table has them.
TEST(StudentT, AgreesWithTheTables) {
    EXPECT_NEAR(student_t_exceeded(0.025, 1), 12.7062, 1e-4);
    EXPECT_NEAR(student_t_exceeded(0.025, 5), 2.5706, 1e-4);
    EXPECT_NEAR(student_t_exceeded(0.025, 23), 2.0687, 1e-4);
    EXPECT_NEAR(student_t_exceeded(0.005, 10), 3.1693, 1e-4);
    EXPECT_NEAR(student_t_exceeded(0.025, 1e6), 1.9600, 1e-3);
    EXPECT_NEAR(student_t_beyond(0, 7), 0.5, 1e-12);
    EXPECT_NEAR(student_t_beyond(-2.5706, 5), 0.975, 1e-5);
}

TEST(StudentT, KeepsSmallChancesApart) {
    EXPECT_GT(student_t_beyond(10, 20), student_t_beyond(11, 20));
    EXPECT_GT(student_t_beyond(11, 20), 0);
    EXPECT_LT(student_t_beyond(11, 20), 1e-8);
}

}  // namespace
}  // namespace sanscope
