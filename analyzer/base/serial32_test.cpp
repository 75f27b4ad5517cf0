// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/base/serial32.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

TEST(Serial32, OrderIsByDistance) {
    EXPECT_TRUE(Serial32(1).before(Serial32(2)));
    EXPECT_TRUE(Serial32(2).after(Serial32(1)));
    EXPECT_FALSE(Serial32(2).before(Serial32(2)));
    EXPECT_FALSE(Serial32(2).after(Serial32(2)));
}

TEST(Serial32, OrderHoldsAcrossTheWrap) {
    const Serial32 last(0xffffffff);
    EXPECT_EQ(last + 1, Serial32(0));
    EXPECT_TRUE(last.before(Serial32(0)));
    EXPECT_EQ(last.distance_to(Serial32(9)), 10);
    EXPECT_EQ(Serial32(9).distance_to(last), -10);
}

}  // namespace
}  // namespace sanscope
