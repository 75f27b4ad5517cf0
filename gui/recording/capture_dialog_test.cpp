// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/recording/capture_dialog.h"

#include <QSettings>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/testing/wait_until.h"

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing_gui::wait_until;

class CaptureDialogTest : public testing::Test {
  protected:
    void SetUp() override { QSettings().remove(QStringLiteral("recording")); }

    static QPushButton* start_of(CaptureDialog& dialog) {
        for (QPushButton* const button : dialog.findChildren<QPushButton*>()) {
            if (button->isDefault()) return button;
        }
        return nullptr;
    }
    static void choose(CaptureDialog& dialog, const char* name) {
        auto* const list = dialog.findChild<QTreeWidget*>();
        list->clearSelection();
        for (int i = 0; i < list->topLevelItemCount(); ++i) {
            QTreeWidgetItem* const item = list->topLevelItem(i);
            item->setSelected(item->text(0) == QString::fromUtf8(name));
        }
    }
    static QLineEdit* filter_of(CaptureDialog& dialog) {
        for (QLineEdit* const edit : dialog.findChildren<QLineEdit*>()) {
            if (edit->accessibleName() == QStringLiteral("Capture filter")) return edit;
        }
        return nullptr;
    }
};

TEST_F(CaptureDialogTest, ListsThisHostsInterfacesWithoutRights) {
    CaptureDialog dialog;
    ASSERT_TRUE(wait_until([&] { return dialog.settled(); }));
    const auto* const list = dialog.findChild<QTreeWidget*>();
    QStringList names;
    for (int i = 0; i < list->topLevelItemCount(); ++i) names.append(list->topLevelItem(i)->text(0));
    EXPECT_TRUE(names.contains(QStringLiteral("lo"))) << names.join(u' ').toStdString();
}

TEST_F(CaptureDialogTest, ChecksTheFilterAsItIsTyped) {
    CaptureDialog dialog;
    ASSERT_TRUE(wait_until([&] { return dialog.settled(); }));
    choose(dialog, "lo");
    filter_of(dialog)->setText(QStringLiteral("tcp port"));
    ASSERT_TRUE(wait_until([&] { return dialog.settled(); }));
    EXPECT_FALSE(start_of(dialog)->isEnabled());
    bool told = false;
    for (const QLabel* const label : dialog.findChildren<QLabel*>())
        told = told || label->text().contains(QStringLiteral("syntax error"));
    EXPECT_TRUE(told);
    filter_of(dialog)->setText(QStringLiteral("tcp port 3260"));
    ASSERT_TRUE(wait_until([&] { return dialog.settled(); }));
    EXPECT_TRUE(start_of(dialog)->isEnabled());
    choose(dialog, "no such interface");
    EXPECT_FALSE(start_of(dialog)->isEnabled());
}

TEST_F(CaptureDialogTest, ChoosesAgainWhatWasChosenLast) {
    {
        CaptureDialog dialog;
        ASSERT_TRUE(wait_until([&] { return dialog.settled(); }));
        choose(dialog, "lo");
        filter_of(dialog)->setText(QStringLiteral("udp port 53"));
        EXPECT_EQ(dialog.request().keep(), v1::RecordingRequest::HEADERS);
        EXPECT_EQ(dialog.request().snap_length(), 0u);
        dialog.findChild<QComboBox*>()->setCurrentIndex(2);
        dialog.findChild<QSpinBox*>()->setValue(77);
        ASSERT_TRUE(wait_until([&] { return dialog.settled(); }));
        dialog.accept();
    }
    CaptureDialog dialog;
    ASSERT_TRUE(wait_until([&] { return dialog.settled(); }));
    const v1::RecordingRequest request = dialog.request();
    EXPECT_THAT(request.interfaces(), ElementsAre("lo"));
    EXPECT_EQ(request.filter(), "udp port 53");
    EXPECT_EQ(request.snap_length(), 128u);
    EXPECT_EQ(request.keep(), v1::RecordingRequest::ALL);
    EXPECT_EQ(request.buffer_mib(), 77u);
    EXPECT_EQ(request.path(), "");
}

TEST_F(CaptureDialogTest, SaysWhenThereIsNoRecorder) {
    CaptureDialog dialog(nullptr, {.program = "/nowhere/sanscope-recorder"});
    ASSERT_TRUE(wait_until([&] { return dialog.settled(); }));
    bool told = false;
    for (const QLabel* const label : dialog.findChildren<QLabel*>())
        told = told || label->text().contains(QStringLiteral("/nowhere/sanscope-recorder"));
    EXPECT_TRUE(told);
    EXPECT_FALSE(start_of(dialog)->isEnabled());
}

}  // namespace
}  // namespace sanscope
