// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plot/text_scale.h"

#include <QApplication>
#include <QFont>
#include <gtest/gtest.h>

namespace sanscope {
namespace {

class TextScaleTest : public testing::Test {
  protected:
    ~TextScaleTest() override {
        QApplication::setFont(before);
        measure_text();
    }
    static void take(int points) {
        QFont font = QApplication::font();
        font.setPointSize(points);
        QApplication::setFont(font);
        measure_text();
    }

    QFont before = QApplication::font();
};

TEST_F(TextScaleTest, SizesGrowWithTheLettersAndNeverShrink) {
    take(8);
    EXPECT_EQ(text_scale(), 1);
    EXPECT_EQ(beside_text(26), 26);
    take(9);
    EXPECT_NEAR(text_scale(), 1, 0.05);
    take(16);
    EXPECT_NEAR(text_scale(), 16 / 9.0, 0.2);
    EXPECT_GE(beside_text(26), QFontMetrics(QApplication::font()).height());
    take(32);
    EXPECT_NEAR(text_scale(), 32 / 9.0, 0.3);
}

}  // namespace
}  // namespace sanscope
