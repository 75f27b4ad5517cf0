// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plot/time_viewport.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

constexpr int64_t start = 1'700'000'000'123'456'789;

TEST(TimeViewport, ToPixelsAndBackIsExactNearAndFar) {
    for (const int64_t span : {int64_t{200}, int64_t{1'000'000}, int64_t{3'600'000'000'000}}) {
        const TimeViewport view{{start, start + span}, 60, 1600};
        EXPECT_DOUBLE_EQ(view.x_of(start), 60);
        EXPECT_DOUBLE_EQ(view.x_of(start + span), 1660);
        for (double x = 60; x < 1660; x += 37) {
            EXPECT_NEAR(view.x_of(view.time_at(x)), x, 0.5 * view.pixels_per_ns() + 1e-6);
        }
    }
}

TEST(TimeViewport, ColumnsJoin) {
    for (const int64_t span : {int64_t{1600}, int64_t{1'234'567}, int64_t{987'654'321'000}}) {
        const TimeViewport view{{start, start + span}, 0, 1600};
        int64_t at = view.column(0).begin_ns;
        EXPECT_EQ(at, start);
        for (int i = 0; i < 1600; ++i) {
            EXPECT_EQ(view.column(i).begin_ns, at);
            at = view.column(i).end_ns;
        }
        EXPECT_NEAR(static_cast<double>(at - start), static_cast<double>(span), view.ns_per_pixel() + 1);
    }
}

TEST(PreparedRange, ServesPansAndSmallZooms) {
    for (const int64_t span :
         {int64_t{200}, int64_t{5'000}, int64_t{77'777'777}, int64_t{7'200'000'000'000}}) {
        const TimeViewport view{{start, start + span}, 0, 1600};
        const PreparedRange prepared = PreparedRange::around(view);
        EXPECT_TRUE(prepared.serves(view)) << span;
        EXPECT_LE(prepared.columns(), 1600u * 4 + 256) << span;
        EXPECT_GE(prepared.columns(), span < 1600 ? 64u : 1600u);
        TimeViewport panned = view;
        panned.range = {start + span / 3, start + span / 3 + span};
        EXPECT_TRUE(prepared.serves(panned)) << span;
        TimeViewport closer = view;
        closer.range = {start, start + std::max<int64_t>(span / 16, 10)};
        if (prepared.ns_per_column > 1) {
            EXPECT_FALSE(prepared.serves(closer)) << span;
        }
        EXPECT_EQ(prepared.column(1).begin_ns, prepared.column(0).end_ns);
        EXPECT_EQ(prepared.column(0).begin_ns % prepared.ns_per_column, 0);
    }
}

}  // namespace
}  // namespace sanscope
