// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/inferred/strict_order.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

TEST(StrictOrder, IsBelievedOnlyAfterManyStatusesInTheirPlace) {
    StrictOrder order;
    uint64_t answers = 100;
    // One in thirty is seen; the numbers wrap.
    for (uint32_t i = 0; i < StrictOrder::enough; ++i, answers += 30) {
        EXPECT_FALSE(order.believed()) << i;
        order.on_status(Serial32(0xffffff00U + static_cast<uint32_t>(answers)), answers);
    }
    EXPECT_TRUE(order.believed());
    EXPECT_FALSE(order.broken());
}

TEST(StrictOrder, IsBrokenForGoodByOneStatusOutOfPlace) {
    StrictOrder order;
    for (uint32_t i = 0; i < 200; ++i) order.on_status(Serial32(i), i);
    order.on_status(Serial32(201), 200);
    EXPECT_TRUE(order.broken());
    for (uint32_t i = 201; i < 500; ++i) order.on_status(Serial32(i), i);
    EXPECT_FALSE(order.believed());
}

TEST(StrictOrder, IsBrokenByWhatContradictsIt) {
    StrictOrder order;
    for (uint32_t i = 0; i < 200; ++i) order.on_status(Serial32(i), i);
    order.on_contradiction();
    EXPECT_TRUE(order.broken());
    EXPECT_FALSE(order.believed());
}

}  // namespace
}  // namespace sanscope
