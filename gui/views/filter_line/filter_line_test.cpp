// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/filter_line/filter_line.h"

#include <QApplication>
#include <QInputDialog>
#include <QKeyEvent>
#include <QMenu>
#include <QSettings>
#include <QTemporaryDir>
#include <QToolButton>
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/document/filter_result.h"
#include "gui/testing/loaded_document.h"

namespace sanscope {
namespace {

using testing::HasSubstr;
using testing_gui::wait_until;

class FilterLineTest : public testing::Test {
  protected:
    FilterLineTest() {
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, folder_.path());
        QCoreApplication::setOrganizationName(QStringLiteral("sanscope-test"));
        QCoreApplication::setApplicationName(QStringLiteral("filters"));
        QSettings().clear();
    }
    void open(const char* dissectd, bool wait = true) {
        document = testing_gui::opened(testing_gui::sample("loss-mixed-initiator.pcap.zst"));
        ASSERT_TRUE(document);
        line = std::make_unique<FilterLine>(*document, nullptr, dissectd);
        line->resize(1200, 40);
        line->show();
        if (wait) {
            ASSERT_TRUE(
                wait_until([&] { return !document->loading() && !document->state().whole().empty(); }));
        }
    }
    void set(const char* expression, const char* language = "auto") {
        line->set_filter(QString::fromUtf8(expression), QString::fromUtf8(language));
        ASSERT_TRUE(wait_until([&] { return line->settled(); }));
    }
    void type(const char* text) {
        for (const char* c = text; *c != 0; ++c) {
            QKeyEvent event(QEvent::KeyPress, 0, Qt::NoModifier, QString(QLatin1Char(*c)));
            QApplication::sendEvent(&line->edit(), &event);
        }
    }
    void key(int key) {
        QKeyEvent event(QEvent::KeyPress, key, Qt::NoModifier);
        QApplication::sendEvent(&line->edit(), &event);
    }
    std::string message() const { return line->message().toStdString(); }
    std::string taken_for() const { return line->taken_for().toStdString(); }

    QTemporaryDir folder_;
    std::unique_ptr<Document> document;
    std::unique_ptr<FilterLine> line;
};

constexpr const char* no_helper = "/nonexistent/sanscope-dissectd";

TEST_F(FilterLineTest, TellsWhatItTakesAnExpressionFor) {
    open(no_helper);
    set("turnaround_ns > 10ms");
    EXPECT_EQ(taken_for(), "commands");
    EXPECT_EQ(line->edit().look(), FilterEdit::Look::valid);
    EXPECT_THAT(message(), HasSubstr("columns of commands"));
    set("Turnaround > 10ms and \"Queue depth\" > 1");
    EXPECT_EQ(taken_for(), "commands");
    set("kind == rto");
    EXPECT_EQ(taken_for(), "losses");
    set("opcode == 0x01", "pdus");
    EXPECT_EQ(taken_for(), "pdus");
    set("");
    EXPECT_EQ(taken_for(), "");
    EXPECT_EQ(line->edit().look(), FilterEdit::Look::plain);
}

TEST_F(FilterLineTest, UnderlinesWhatIsWrong) {
    open(no_helper);
    set("turnaround_ns > 10KiB");
    EXPECT_EQ(line->edit().look(), FilterEdit::Look::invalid);
    EXPECT_EQ(line->edit().wave_position(), 16);
    EXPECT_EQ(line->edit().wave_length(), 5);
    EXPECT_THAT(message(), HasSubstr("KiB is no unit of durations"));
    // A word that is nearly a column is told to be one.
    set("turnaroud > 10ms");
    EXPECT_EQ(message(), "no column \"turnaroud\" in commands; did you mean turnaround?");
    EXPECT_EQ(line->edit().wave_position(), 0);
    EXPECT_EQ(line->edit().wave_length(), 9);
    // In characters, not in bytes; what is wanting at the end; blanks before.
    set("name == \"ü€\" and turnaround_ns > 1x");
    EXPECT_EQ(line->edit().wave_position(), 33);
    set("  kind == ");
    EXPECT_EQ(line->edit().wave_length(), 0);
    EXPECT_GE(line->edit().wave_position(), 9);
    line->apply();
    ASSERT_TRUE(wait_until([&] { return line->settled(); }));
    EXPECT_EQ(document->state().filter(), nullptr);
    // Neither ours nor, without the helper process, anybody's.
    set("tcp.port == 3260");
    EXPECT_THAT(message(), HasSubstr("Wireshark filters are not available"));
    EXPECT_EQ(line->edit().wave_length(), -1);
}

TEST_F(FilterLineTest, EnterAppliesAndEscClears) {
    open(no_helper);
    line->edit().setFocus();
    type("turnaround_ns > 20ms");
    key(Qt::Key_Return);
    ASSERT_TRUE(wait_until([&] { return document->state().filter() != nullptr; }));
    const auto reading = document->data()->try_read();
    size_t expected = 0;
    uint64_t pdus = 0;
    for (const CommandRow& command : reading->store().commands()) {
        if (command.turnaround_ns() == no_time || command.turnaround_ns() <= 20'000'000) continue;
        ++expected;
        pdus += command.pdus;
    }
    ASSERT_GT(expected, 0u);
    const LinkedRows& rows = document->state().filter()->rows;
    EXPECT_EQ(rows.commands.count(), expected);
    EXPECT_EQ(rows.pdus.count(), pdus);
    EXPECT_GT(rows.packets.count(), 0u);
    EXPECT_LT(rows.packets.count(), rows.packets.size());
    EXPECT_THAT(message(), HasSubstr(std::to_string(expected) + " of 165 commands"));
    key(Qt::Key_Escape);
    EXPECT_EQ(document->state().filter(), nullptr);
    EXPECT_EQ(line->expression(), QString());
    EXPECT_EQ(line->history(), QStringList{QStringLiteral("auto\tturnaround_ns > 20ms")});
}

TEST_F(FilterLineTest, OneAppliedWhileLoadingRunsOnceAllIsThere) {
    open(no_helper, false);
    line->apply_filter(QStringLiteral("kind == rto"), QStringLiteral("losses"));
    if (document->loading()) {
        EXPECT_THAT(message(), HasSubstr("as soon as the capture is loaded"));
    }
    ASSERT_TRUE(wait_until([&] { return document->state().filter() != nullptr; }));
    EXPECT_FALSE(document->loading());
    const auto reading = document->data()->try_read();
    size_t expected = 0;
    for (const LossRow& loss : reading->store().losses()) expected += loss.kind == LossKind::rto ? 1 : 0;
    EXPECT_EQ(document->state().filter()->rows.losses.count(), expected);
}

TEST_F(FilterLineTest, OffersColumnsAndPutsTheChosenOneInPlace) {
    open(no_helper);
    line->edit().setFocus();
    type("lun == 1 and turn");
    ASSERT_TRUE(line->completer().offered().contains(QStringLiteral("turnaround_ns")));
    line->completer().choose(
        static_cast<int>(line->completer().offered().indexOf(QStringLiteral("turnaround_ns"))));
    EXPECT_EQ(line->edit().text().toStdString(), "lun == 1 and turnaround_ns");
    EXPECT_EQ(line->edit().cursorPosition(), 26);
    ASSERT_TRUE(wait_until([&] { return line->settled(); }));
    EXPECT_EQ(taken_for(), "commands");
}

TEST_F(FilterLineTest, AFilterClearedElsewhereIsNoLongerToldAsApplied) {
    open(no_helper);
    line->apply_filter(QStringLiteral("turnaround_ns > 20ms"), QStringLiteral("auto"));
    ASSERT_TRUE(wait_until([&] { return document->state().filter() != nullptr; }));
    document->state().set_filter(nullptr);
    EXPECT_THAT(message(), HasSubstr("Enter applies it"));
}

TEST_F(FilterLineTest, UpAndDownGoThroughThoseUsedBefore) {
    open(no_helper);
    for (const char* const used : {"kind == rto", "turnaround > 20ms"}) {
        line->apply_filter(QString::fromUtf8(used), QStringLiteral("auto"));
        ASSERT_TRUE(wait_until([&] { return line->settled(); }));
    }
    line->clear();
    line->edit().setFocus();
    type("lun");
    line->completer().hide();
    const auto text = [&] { return line->edit().text().toStdString(); };
    key(Qt::Key_Up);
    EXPECT_EQ(text(), "turnaround > 20ms");
    key(Qt::Key_Up);
    EXPECT_EQ(text(), "kind == rto");
    key(Qt::Key_Up);
    EXPECT_EQ(text(), "kind == rto");
    key(Qt::Key_Down);
    EXPECT_EQ(text(), "turnaround > 20ms");
    key(Qt::Key_Down);
    EXPECT_EQ(text(), "lun");
    // What stands in the line already is passed over.
    set("turnaround > 20ms");
    key(Qt::Key_Up);
    EXPECT_EQ(text(), "kind == rto");
    ASSERT_TRUE(wait_until([&] { return line->settled(); }));
}

class SavedFiltersTest : public FilterLineTest {
  protected:
    // Saves what is in the line, as a user does.
    void save(const char* name) {
        ASSERT_TRUE(line->save_button().isEnabled());
        line->save_button().click();
        answer(name);
    }
    void answer(const char* name) {
        auto* const dialog = line->findChild<QInputDialog*>();
        ASSERT_NE(dialog, nullptr);
        dialog->setTextValue(QString::fromUtf8(name));
        dialog->accept();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }
    void choose(qsizetype place, const QString& text) {
        QMenu* const menu = line->buttons().make_menu(place);
        const QList<QAction*> actions = menu->actions();
        const auto found = std::ranges::find_if(actions, [&](const QAction* action) {
            return action->text().remove(QLatin1Char('&')).startsWith(text);
        });
        ASSERT_NE(found, actions.end());
        ASSERT_TRUE((*found)->isEnabled()) << text.toStdString();
        (*found)->trigger();
        delete menu;
    }
    std::vector<std::string> names() const {
        std::vector<std::string> shown;
        for (const QToolButton* const button : line->buttons().buttons())
            shown.push_back(button->text().toStdString());
        return shown;
    }
};

TEST_F(SavedFiltersTest, ASavedFilterIsAButtonThatAppliesIt) {
    open(no_helper);
    EXPECT_FALSE(line->save_button().isEnabled());
    EXPECT_FALSE(line->buttons().isVisible());
    set("nothing_like_it == 1");
    EXPECT_FALSE(line->save_button().isEnabled());
    set("turnaround > 20ms", "commands");
    save("Slow & late");
    EXPECT_TRUE(line->buttons().isVisible());
    EXPECT_THAT(names(), testing::ElementsAre("Slow && late"));
    line->clear();
    QToolButton* const button = line->buttons().buttons().front();
    EXPECT_EQ(button->accessibleName().toStdString(), "Filter Slow & late");
    button->click();
    ASSERT_TRUE(wait_until([&] { return document->state().filter() != nullptr; }));
    EXPECT_EQ(line->expression().toStdString(), "turnaround > 20ms");
    EXPECT_EQ(line->language().toStdString(), "commands");
}

TEST_F(SavedFiltersTest, AnEmptyNameOrNoneSavesNothing) {
    open(no_helper);
    set("kind == rto");
    save("   ");
    EXPECT_THAT(names(), testing::IsEmpty());
    line->save_button().click();
    line->findChild<QInputDialog*>()->reject();
    EXPECT_TRUE(saved_filters().isEmpty());
}

TEST_F(SavedFiltersTest, TheMenuRenamesMovesAndRemoves) {
    open(no_helper);
    for (const char* const name : {"one", "two", "three"}) {
        set("kind == rto");
        save(name);
    }
    EXPECT_THAT(names(), testing::ElementsAre("one", "two", "three"));
    choose(2, QStringLiteral("Move to the left"));
    EXPECT_THAT(names(), testing::ElementsAre("one", "three", "two"));
    choose(0, QStringLiteral("Move to the right"));
    EXPECT_THAT(names(), testing::ElementsAre("three", "one", "two"));
    choose(1, QStringLiteral("Rename"));
    answer("first");
    EXPECT_THAT(names(), testing::ElementsAre("three", "first", "two"));
    choose(0, QStringLiteral("Remove"));
    EXPECT_THAT(names(), testing::ElementsAre("first", "two"));
    // Another line has the same ones, when it is looked at.
    line->hide();
    QList<SavedFilter> elsewhere = saved_filters();
    elsewhere.removeFirst();
    save_filters(elsewhere);
    line->show();
    EXPECT_THAT(names(), testing::ElementsAre("two"));
}

TEST_F(SavedFiltersTest, WhatIsLeftOverOfSettingsIsNoButton) {
    save_filters({{QStringLiteral("a"), QStringLiteral("auto"), QStringLiteral("lun == 1")},
                  {QString(), QStringLiteral("auto"), QStringLiteral("lun == 1")},
                  {QStringLiteral("c"), QStringLiteral("auto"), QString()}});
    open(no_helper);
    EXPECT_THAT(names(), testing::ElementsAre("a"));
    EXPECT_TRUE(line->buttons().isVisible());
}

#ifdef DISSECTD
TEST_F(FilterLineTest, TakesWhatIsNoColumnForAWiresharkFilter) {
    open(DISSECTD);
    set("tcp.analysis.retransmission");
    EXPECT_EQ(taken_for(), "wireshark");
    EXPECT_THAT(message(), HasSubstr("Wireshark display filter"));
    line->apply();
    ASSERT_TRUE(wait_until([&] { return document->state().filter() != nullptr; }));
    const LinkedRows& rows = document->state().filter()->rows;
    EXPECT_GT(rows.packets.count(), 10u);
    EXPECT_LT(rows.packets.count(), 200u);
    EXPECT_GT(rows.losses.count(), 0u);
    EXPECT_THAT(message(), HasSubstr("of 9,856 packets"));
    set("tcp.port == = 3");
    EXPECT_EQ(line->edit().look(), FilterEdit::Look::invalid);
    EXPECT_FALSE(message().empty());
    set("turnaroud > 10ms");
    EXPECT_THAT(message(), HasSubstr("did you mean turnaround?"));
    // Ours all the same where a column of ours is named.
    set("turnaround_ns > 10KiB");
    EXPECT_THAT(message(), HasSubstr("KiB is no unit of durations"));
    // The same word is a column and a protocol: whoever asks for the one gets it.
    set("iscsi");
    EXPECT_EQ(taken_for(), "connections");
    set("iscsi", "wireshark");
    EXPECT_EQ(taken_for(), "wireshark");
}

TEST_F(FilterLineTest, OffersWiresharksFields) {
    open(DISSECTD);
    line->edit().setFocus();
    type("tcp.analysis.retr");
    ASSERT_TRUE(wait_until([&] { return line->settled(); }));
    EXPECT_TRUE(line->completer().offered().contains(QStringLiteral("tcp.analysis.retransmission")));
}

// Whoever writes on and presses Enter is ahead of the helper's answers.
TEST_F(FilterLineTest, OffersNothingOnceApplied) {
    open(DISSECTD);
    line->edit().setFocus();
    type("tcp");
    type(" > 20");
    key(Qt::Key_Return);
    ASSERT_TRUE(wait_until([&] { return line->settled(); }));
    EXPECT_FALSE(line->completer().visible());
    type("tcp.analysis.retr");
    key(Qt::Key_Return);
    ASSERT_TRUE(wait_until([&] { return line->settled(); }));
    EXPECT_FALSE(line->completer().visible());
}
#endif

}  // namespace
}  // namespace sanscope
