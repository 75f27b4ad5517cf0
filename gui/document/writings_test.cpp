// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/document/writings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Writings, EndWithTheLastOneAndTellWhetherAllWereWritten) {
    Writings writings;
    std::vector<bool> ended;
    QObject::connect(&writings, &Writings::ended, [&](bool all_written) { ended.push_back(all_written); });
    writings.begin(QStringLiteral("a"));
    writings.begin(QStringLiteral("b"));
    writings.end(QStringLiteral("a"), false);
    writings.end(QStringLiteral("never begun"), true);
    EXPECT_THAT(ended, IsEmpty());
    EXPECT_EQ(writings.paths(), QStringList{QStringLiteral("b")});
    writings.end(QStringLiteral("b"), true);
    EXPECT_THAT(ended, ElementsAre(false));
    writings.begin(QStringLiteral("c"));
    writings.end(QStringLiteral("c"), true);
    EXPECT_THAT(ended, ElementsAre(false, true));
}

}  // namespace
}  // namespace sanscope
