// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/filter_line/filter_line.h"

#include <QApplication>
#include <QKeyEvent>
#include <QSettings>
#include <QTemporaryDir>
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
#endif

}  // namespace
}  // namespace sanscope
