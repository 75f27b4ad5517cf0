// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/senders/long_choice_box.h"

#include <gtest/gtest.h>

namespace sanscope {
namespace {

TEST(LongChoiceBox, IsAsLargeAsAComboBoxOfTheSameEntries) {
    LongChoiceBox box(nullptr);
    QComboBox plain;
    plain.setSizeAdjustPolicy(QComboBox::AdjustToContents);
    const auto expect_same = [&](const char* what) {
        constexpr int between_versions_of_qt =
            3;  // pixels: they measure the text by its ink, or by its advance
        EXPECT_NEAR(box.sizeHint().width(), plain.sizeHint().width(), between_versions_of_qt) << what;
        EXPECT_EQ(box.sizeHint().height(), plain.sizeHint().height()) << what;
    };
    expect_same("empty");
    for (QComboBox* const each : {static_cast<QComboBox*>(&box), &plain})
        each->addItem(QStringLiteral("one"));
    expect_same("one entry");
    for (QComboBox* const each : {static_cast<QComboBox*>(&box), &plain}) each->setMinimumContentsLength(20);
    expect_same("room for twenty letters");
    for (QComboBox* const each : {static_cast<QComboBox*>(&box), &plain})
        each->addItems({QStringLiteral("Connection 7: 192.0.2.101:49152, 1.5 GB out, 2.7 MB in"),
                        QStringLiteral("two")});
    expect_same("a long one");
    QFont larger = plain.font();
    larger.setPointSize(larger.pointSize() + 4);
    for (QComboBox* const each : {static_cast<QComboBox*>(&box), &plain}) each->setFont(larger);
    expect_same("a larger font");
    for (QComboBox* const each : {static_cast<QComboBox*>(&box), &plain}) {
        each->clear();
        each->addItems({QStringLiteral("one"), QStringLiteral("two"), QStringLiteral("three")});
    }
    expect_same("others, as many");
}

}  // namespace
}  // namespace sanscope
