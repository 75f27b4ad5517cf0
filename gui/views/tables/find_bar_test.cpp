// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/tables/find_bar.h"

#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QSettings>
#include <QTableView>
#include <QTemporaryDir>
#include <gtest/gtest.h>
#include <variant>

#include "gui/testing/loaded_document.h"
#include "gui/views/tables/rows_view.h"

namespace sanscope {
namespace {

using testing_gui::wait_until;
using Kind = PacketNeedle::Kind;

bool has(Kind kind, const char* needle, std::string_view text) {
    const auto made = PacketNeedle::make(kind, QString::fromUtf8(needle));
    if (const auto* const fault = std::get_if<QString>(&made)) {
        ADD_FAILURE() << needle << ": " << fault->toStdString();
        return false;
    }
    PatternMatcher matcher;
    return std::get<PacketNeedle>(made).find_in(text, matcher) == PatternMatcher::Answer::yes;
}

std::string fault_of(Kind kind, const char* needle) {
    const auto made = PacketNeedle::make(kind, QString::fromUtf8(needle));
    const auto* const fault = std::get_if<QString>(&made);
    return fault == nullptr ? "" : fault->toStdString();
}

TEST(PacketNeedle, TextIsItselfAndPatternsAreNot) {
    EXPECT_TRUE(has(Kind::info_text, "read(10)", "SCSI Command READ(10)"));
    EXPECT_FALSE(has(Kind::info_text, "READ.10.", "SCSI Command READ(10)"));
    EXPECT_TRUE(has(Kind::info_pattern, "READ.10.$", "SCSI Command READ(10)"));
    EXPECT_TRUE(has(Kind::info_text, "a\\Eb.", "xa\\Eb.y"));
    EXPECT_FALSE(has(Kind::info_text, "a\\Eb.", "xa\\Ebcy"));
    EXPECT_NE(fault_of(Kind::info_pattern, "(").find("regular expression"), std::string::npos);
    EXPECT_EQ(fault_of(Kind::info_text, "("), "");
    EXPECT_NE(fault_of(Kind::info_text, ""), "");
}

TEST(PacketNeedle, HexBytesAreFoundWhateverTheyAre) {
    const std::string_view bytes("\x01\xff\x00\x0a\x1b", 5);
    EXPECT_TRUE(has(Kind::bytes_hex, "ff000A", bytes));
    EXPECT_TRUE(has(Kind::bytes_hex, "ff 00 0a", bytes));
    EXPECT_TRUE(has(Kind::bytes_hex, "FF:00", bytes));
    EXPECT_FALSE(has(Kind::bytes_hex, "f0 00", bytes));
    for (const char* const none : {"f", "0x01", "gg", "01 2", "  "})
        EXPECT_NE(fault_of(Kind::bytes_hex, none), "") << none;
    EXPECT_TRUE(has(Kind::bytes_text, "IQN.2026", std::string_view("\xff\xfeiqn.2026-01\x00", 13)));
    EXPECT_TRUE(has(Kind::bytes_pattern, "iqn[.][0-9]+", std::string_view("\xff\xfeiqn.2026-01\x00", 13)));
}

class FindBarTest : public testing::Test {
  protected:
    FindBarTest() {
        QSettings().clear();
        document = testing_gui::loaded_sample("nop-logout.pcap");
        view = std::make_unique<RowsView>(*document, "packets", nullptr);
        view->resize(1200, 400);
        view->show();
        EXPECT_TRUE(wait_until([&] { return view->settled() && view->model().rowCount() > 0; }));
    }
    FindBar& bar() { return *view->find_bar(); }
    // The row it went to.
    int found(bool forward = true) {
        bar().find(forward);
        EXPECT_TRUE(wait_until([&] { return !bar().searching(); }));
        return view->table().currentIndex().row();
    }
    void look_for(Kind kind, const char* text) {
        bar().kind_box().setCurrentIndex(static_cast<int>(kind));
        bar().line().setText(QString::fromUtf8(text));
    }
    // All rows whose info has it, by the model.
    std::vector<int> rows_with(const char* text) {
        const int info = static_cast<int>(*find_column(view->model().access().columns(), "info"));
        std::vector<int> rows;
        for (int row = 0; row < view->model().rowCount(); ++row) {
            if (view->model().text(row, info).contains(QLatin1String(text), Qt::CaseInsensitive))
                rows.push_back(row);
        }
        return rows;
    }

    std::unique_ptr<Document> document;
    std::unique_ptr<RowsView> view;
};

TEST_F(FindBarTest, GoesFromOneToTheNextAndAround) {
    const std::vector<int> rows = rows_with("login");
    ASSERT_GE(rows.size(), 2u);
    look_for(Kind::info_text, "login");
    for (const int row : rows) {
        EXPECT_EQ(found(), row);
        EXPECT_EQ(bar().message(), QString());
    }
    EXPECT_EQ(document->state().selection(),
              (Selection{Selection::Kind::packet, static_cast<uint64_t>(rows.back()) + 1}));
    EXPECT_EQ(found(), rows.front());
    EXPECT_TRUE(bar().message().contains(QStringLiteral("first packet")));
    EXPECT_EQ(found(false), rows.back());
    EXPECT_TRUE(bar().message().contains(QStringLiteral("last packet")));
    EXPECT_EQ(found(false), rows[rows.size() - 2]);
    EXPECT_EQ(bar().message(), QString());
}

TEST_F(FindBarTest, BytesAreFoundInPackets) {
    // Its login names the initiator.
    look_for(Kind::bytes_text, "initiatorname=");
    const int login = found();
    ASSERT_GE(login, 0);
    const auto bytes = document->data()->try_read()->packets().read(static_cast<PacketNumber>(login) + 1);
    ASSERT_TRUE(bytes);
    EXPECT_NE(std::string(bytes->begin(), bytes->end()).find("InitiatorName="), std::string::npos);
    view->table().setCurrentIndex({});
    look_for(Kind::bytes_hex, "49 6e 69 74 69 61 74 6f 72 4e 61 6d 65 3d");
    EXPECT_EQ(found(), login);
    view->table().setCurrentIndex({});
    look_for(Kind::bytes_pattern, "initiatorn..e=iqn");
    EXPECT_EQ(found(), login);
}

TEST_F(FindBarTest, WhatIsNowhereIsSaidAndTheRowStays) {
    view->table().setCurrentIndex(view->model().index(3, 0));
    look_for(Kind::info_text, "no packet says this");
    EXPECT_EQ(found(), 3);
    EXPECT_FALSE(bar().message().isEmpty());
    look_for(Kind::info_pattern, "(");
    EXPECT_EQ(found(), 3);
    EXPECT_TRUE(bar().message().contains(QStringLiteral("regular expression")));
    look_for(Kind::info_text, "nop");
    bar().find(true);
    bar().cancel();
    EXPECT_FALSE(bar().searching());
    EXPECT_EQ(view->table().currentIndex().row(), 3);
}

// In the text of a login the expression takes exponential time, elsewhere it ends soon.
TEST_F(FindBarTest, WhereARegularExpressionTookTooLongIsSaid) {
    look_for(Kind::bytes_pattern, "InitiatorName([ -~]+)+[\\x01-\\x03]{3}");
    found();
    EXPECT_TRUE(bar().message().contains(QStringLiteral("took too long"))) << bar().message().toStdString();
    EXPECT_TRUE(bar().message().contains(QStringLiteral("No other packet"))) << bar().message().toStdString();
    look_for(Kind::bytes_pattern, "InitiatorName[ -~]+[\\x01-\\x03]{3}");
    found();
    EXPECT_EQ(bar().message().toStdString(), "No packet shown has it.");
}

TEST_F(FindBarTest, ReturnFindsAndEscapeCloses) {
    bar().begin();
    EXPECT_TRUE(bar().isVisible());
    look_for(Kind::info_text, "login");
    const auto press = [&](int key, Qt::KeyboardModifiers modifiers) {
        QKeyEvent event(QEvent::KeyPress, key, modifiers);
        QApplication::sendEvent(&bar().line(), &event);
        EXPECT_TRUE(wait_until([&] { return !bar().searching(); }));
    };
    const std::vector<int> rows = rows_with("login");
    press(Qt::Key_Return, Qt::NoModifier);
    EXPECT_EQ(view->table().currentIndex().row(), rows.front());
    press(Qt::Key_Return, Qt::ShiftModifier);
    EXPECT_EQ(view->table().currentIndex().row(), rows.back());
    press(Qt::Key_Escape, Qt::NoModifier);
    EXPECT_FALSE(bar().isVisible());
}

TEST_F(FindBarTest, OnlyPacketsHaveOne) {
    const RowsView commands(*document, "commands", nullptr);
    EXPECT_EQ(commands.find_bar(), nullptr);
}

}  // namespace
}  // namespace sanscope
