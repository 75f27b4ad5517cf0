// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/generating/json_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sanscope {
namespace {

using testing::ElementsAre;

class JsonLinesTest : public testing::Test {
  protected:
    void add(const QByteArray& bytes) { lines.add(bytes, take); }

    JsonLines lines;
    std::vector<int> came;
    JsonLines::Take take = [this](const QJsonObject& object) {
        came.push_back(object.value(QStringLiteral("n")).toInt(-1));
    };
};

TEST_F(JsonLinesTest, ComeInAnyPieces) {
    const QByteArray all = "{\"n\":1}\n{\"n\":2}\r\n\n{\"n\":3}\n";
    for (qsizetype piece = 1; piece <= all.size(); ++piece) {
        came.clear();
        for (qsizetype at = 0; at < all.size(); at += piece) add(all.mid(at, piece));
        EXPECT_THAT(came, ElementsAre(1, 2, 3)) << "in pieces of " << piece;
    }
    EXPECT_EQ(lines.passed_over(), 0u);
}

TEST_F(JsonLinesTest, WhatIsNoObjectIsPassedOver) {
    add("rubbish\n[1,2]\n7\n{\"n\":\n\xff\xfe\n{\"n\":1}{\"n\":2}\n{\"n\":4}\n");
    EXPECT_THAT(came, ElementsAre(4));
    EXPECT_EQ(lines.passed_over(), 6u);
    add(QByteArray(100'000, '[') + "\n{\"n\":5}\n");
    EXPECT_THAT(came, ElementsAre(4, 5));
}

TEST_F(JsonLinesTest, ALineWithoutEndTakesNoMemory) {
    const QByteArray block(1 << 16, 'x');
    for (int i = 0; i < 100; ++i) add(block);
    add("\n{\"n\":1}\n");
    EXPECT_THAT(came, ElementsAre(1));
    EXPECT_EQ(lines.passed_over(), 1u) << "however many pieces it came in";
    // In one piece, with more behind it.
    add(QByteArray(JsonLines::longest + 1, 'x') + "\n{\"n\":2}\n");
    EXPECT_THAT(came, ElementsAre(1, 2));
    EXPECT_EQ(lines.passed_over(), 2u);
}

TEST_F(JsonLinesTest, TheLastOneNeedsNoEnd) {
    add("{\"n\":1}\n{\"n\":2}");
    EXPECT_THAT(came, ElementsAre(1));
    lines.finish(take);
    EXPECT_THAT(came, ElementsAre(1, 2));
    lines.finish(take);
    EXPECT_THAT(came, ElementsAre(1, 2));
}

TEST(JsonMembers, AreWhatTheyShouldBeOrNothing) {
    QJsonObject object;
    object[QStringLiteral("text")] = QStringLiteral("a\nb\u202e\u0007c");
    object[QStringLiteral("long")] = QString(100'000, u'x');
    object[QStringLiteral("number")] = 1.5;
    object[QStringLiteral("below")] = -1.5;
    object[QStringLiteral("huge")] = 1e300;
    EXPECT_EQ(text_of(object, "text").toStdString(), "a b  c");
    EXPECT_LT(text_of(object, "long").size(), 3000);
    EXPECT_EQ(text_of(object, "number").toStdString(), "");
    EXPECT_EQ(number_of(object, "number"), 1.5);
    EXPECT_EQ(number_of(object, "below"), -1);
    EXPECT_EQ(number_of(object, "text"), -1);
    EXPECT_EQ(number_of(object, "none"), -1);
    EXPECT_EQ(count_of(object, "number"), 1u);
    EXPECT_EQ(count_of(object, "below"), 0u);
    EXPECT_GT(count_of(object, "huge"), uint64_t{1} << 60);
}

}  // namespace
}  // namespace sanscope
