// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/commands/unit_data_gatherer.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes copy(std::span<const uint8_t> bytes) {
    return {bytes.begin(), bytes.end()};
}

TEST(UnitDataGatherer, PutsPiecesOfSeveralCommandsTogether) {
    UnitDataGatherer gatherer;
    gatherer.begin(7, Bytes{1, 2});
    gatherer.begin(8, Bytes{9});
    EXPECT_EQ(copy(gatherer.go_on(7, 2, Bytes{3})), (Bytes{1, 2, 3}));
    EXPECT_EQ(copy(gatherer.go_on(8, 1, Bytes{10, 11})), (Bytes{9, 10, 11}));
    EXPECT_EQ(copy(gatherer.go_on(7, 3, Bytes{4})), (Bytes{1, 2, 3, 4}));
    EXPECT_EQ(copy(gatherer.of(7)), (Bytes{1, 2, 3, 4}));
    gatherer.forget(7);
    EXPECT_TRUE(gatherer.of(7).empty());
    EXPECT_FALSE(gatherer.empty());
}

TEST(UnitDataGatherer, HasNothingWhereAPieceIsMissing) {
    UnitDataGatherer gatherer;
    gatherer.begin(7, Bytes{1, 2});
    EXPECT_TRUE(gatherer.go_on(7, 3, Bytes{4}).empty());
    EXPECT_TRUE(gatherer.go_on(7, 2, Bytes{3}).empty()) << "the one before was out of order";
    EXPECT_TRUE(gatherer.go_on(5, 0, Bytes{3}).empty()) << "never begun";
}

TEST(UnitDataGatherer, BeginsAnew) {
    UnitDataGatherer gatherer;
    gatherer.begin(7, Bytes{1, 2});
    gatherer.begin(7, Bytes{5});
    EXPECT_EQ(copy(gatherer.of(7)), (Bytes{5}));
}

TEST(UnitDataGatherer, HoldsNoMoreThanItMay) {
    UnitDataGatherer gatherer;
    const Bytes half(UnitDataGatherer::most_bytes / 2, 1);
    gatherer.begin(1, half);
    gatherer.begin(2, half);
    EXPECT_FALSE(gatherer.of(1).empty());
    gatherer.begin(3, Bytes{1});
    EXPECT_TRUE(gatherer.of(1).empty()) << "the oldest gives way";
    EXPECT_FALSE(gatherer.of(2).empty());
    EXPECT_FALSE(gatherer.go_on(2, static_cast<uint32_t>(half.size()), half).empty());
    EXPECT_TRUE(gatherer.of(3).empty());
    EXPECT_TRUE(gatherer.go_on(2, static_cast<uint32_t>(UnitDataGatherer::most_bytes), Bytes{1}).empty());
    EXPECT_TRUE(gatherer.empty());
}

}  // namespace
}  // namespace sanscope
