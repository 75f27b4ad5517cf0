// SPDX-License-Identifier: GPL-3.0-or-later
//
// The window as its user drives it: with the mouse, the keyboard and files, on captures that show losses, damage and nothing
// at all.
#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDataStream>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QHeaderView>
#include <QImage>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QSettings>
#include <QStatusBar>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QTranslator>
#include <algorithm>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "gui/app/capture_window.h"
#include "gui/app/command_palette.h"
#include "gui/app/main_window.h"
#include "gui/app/recent_files.h"
#include "gui/app/theme_palette.h"
#include "gui/app/view_export.h"
#include "gui/comparing/comparison_view.h"
#include "gui/document/filter_result.h"
#include "gui/testing/loaded_document.h"
#include "gui/testing/window_driver.h"
#include "gui/views/filter_line/filter_line.h"
#include "gui/views/findings/findings_view.h"
#include "gui/views/io_graph/io_graph_view.h"
#include "gui/views/layers/layers_view.h"
#include "gui/views/overview/overview_view.h"
#include "gui/views/selected_range/selected_range_view.h"
#include "gui/views/statistics/statistics_view.h"
#include "gui/views/tables/rows_view.h"
#include "gui/views/time_budgets/time_budgets_view.h"

#include "analyzer/ingest/packet_source.h"

namespace sanscope {
namespace {

using testing::HasSubstr;
using testing_gui::action_of;
using testing_gui::answer_file_dialog;
using testing_gui::sample;
using testing_gui::wait_until;

const char* const with_losses = "loss-mixed-initiator.pcap.zst";

class WindowTest : public testing::Test {
  protected:
    WindowTest() {
        QSettings().clear();
        window = std::make_unique<MainWindow>();
        window->resize(1600, 960);
        window->show();
        EXPECT_TRUE(QTest::qWaitForWindowExposed(window.get()));
        window->activateWindow();
        EXPECT_TRUE(QTest::qWaitForWindowActive(window.get()));
    }
    ~WindowTest() override {
        window.reset();
        QSettings().clear();
    }

    CaptureWindow& opened(const QString& path) {
        EXPECT_TRUE(window->open({path}));
        CaptureWindow& capture = *window->current();
        EXPECT_TRUE(wait_until([&] { return capture.document().has_loaded(); }));
        settle(capture);
        return capture;
    }
    // What still prepares something; empty: nothing.
    static std::string unsettled(CaptureWindow& capture) {
        for (const ViewKind& kind : view_kinds()) {
            const View* const view = capture.dock(kind.name)->findChild<View*>();
            if (view != nullptr && view->isVisible() && !view->settled()) return std::string(kind.name);
        }
        if (!capture.filter_line().settled()) return "filter line";
        if (capture.state().selected().selection != capture.state().selection()) return "selection";
        return {};
    }
    static void settle(CaptureWindow& capture) {
        constexpr int patience_ms = 20'000;
        QElapsedTimer timer;
        timer.start();
        // What an event that waits would ask for counts, too.
        for (int quiet = 0; quiet < 3;) {
            QApplication::processEvents();
            const std::string busy = unsettled(capture);
            quiet = busy.empty() ? quiet + 1 : 0;
            if (timer.elapsed() > patience_ms) {
                ADD_FAILURE() << busy << " does not settle";
                return;
            }
            QTest::qWait(2);
        }
    }
    template <class Kind>
    static Kind& view(CaptureWindow& capture, const char* name) {
        capture.show_view(name);
        settle(capture);
        return *qobject_cast<Kind*>(capture.view(name));
    }
    static void type(CaptureWindow& capture, const QString& filter) {
        QTest::keyClicks(&capture.filter_line().edit(), filter);
        // What it is taken for is shown a moment later.
        EXPECT_TRUE(wait_until([&] { return capture.filter_line().settled(); }));
        QTest::keyClick(&capture.filter_line().edit(), Qt::Key_Return);
        EXPECT_TRUE(wait_until([&] { return capture.filter_line().settled(); }));
        settle(capture);
    }
    QAction* action(const QString& text) const { return action_of(*window, text); }

    QTemporaryDir folder;
    std::unique_ptr<MainWindow> window;
};

TEST_F(WindowTest, EachCaptureOpensInATabOnce) {
    opened(sample(with_losses));
    opened(sample("reads-4k-qd8.pcap.zst"));
    EXPECT_TRUE(window->open({sample(with_losses)}));
    EXPECT_EQ(window->captures(), 2);
    EXPECT_THAT(window->windowTitle().toStdString(), HasSubstr(with_losses));
    EXPECT_EQ(recent_files().size(), 2);
    EXPECT_EQ(QFileInfo(recent_files().first()).fileName(), QString::fromUtf8("reads-4k-qd8.pcap.zst"));
}

TEST_F(WindowTest, EveryViewComesToTheFrontAndSettles) {
    CaptureWindow& capture = opened(sample(with_losses));
    for (const ViewKind& kind : view_kinds()) {
        capture.show_view(kind.name);
        settle(capture);
        const View* const view = capture.view(kind.name);
        EXPECT_TRUE(view->isVisible()) << kind.name;
        EXPECT_TRUE(view->settled()) << kind.name;
        EXPECT_GT(view->width(), 100) << kind.name;
        EXPECT_GT(view->height(), 50) << kind.name;
        EXPECT_FALSE(view->accessibleName().isEmpty()) << kind.name;
        EXPECT_NE(capture.dockWidgetArea(capture.dock(kind.name)), Qt::NoDockWidgetArea) << kind.name;
    }
}

TEST_F(WindowTest, ADragInTheOverviewChoosesTheRangeOfAllViews) {
    CaptureWindow& capture = opened(sample(with_losses));
    auto& overview = view<OverviewView>(capture, "overview");
    const TimeViewport strip = overview.strip();
    const int y = overview.height() / 2;
    const QPoint from(static_cast<int>(strip.origin + strip.length * 0.25), y);
    const QPoint to(static_cast<int>(strip.origin + strip.length * 0.35), y);
    const TimeRange expected{strip.time_at(from.x()), strip.time_at(to.x())};
    QTest::mousePress(&overview, Qt::LeftButton, {}, from);
    for (int x = from.x(); x <= to.x(); x += 7) QTest::mouseMove(&overview, {x, y});
    QTest::mouseMove(&overview, to);
    QTest::mouseRelease(&overview, Qt::LeftButton, {}, to);
    const TimeRange range = capture.state().range();
    const auto slack = static_cast<double>(strip.ns_per_pixel() * 10);
    EXPECT_NEAR(static_cast<double>(range.begin_ns - expected.begin_ns), 0, slack);
    EXPECT_NEAR(static_cast<double>(range.end_ns - expected.end_ns), 0, slack);
    settle(capture);
    action(QStringLiteral("Back"))->trigger();
    EXPECT_EQ(capture.state().range(), capture.state().first_view());
}

TEST_F(WindowTest, TheSlowestCommandIsAClickAwayAndHighlightedEverywhere) {
    CaptureWindow& capture = opened(sample(with_losses));
    auto& commands = view<RowsView>(capture, "commands");
    const auto reading = capture.document().data()->try_read();
    const auto& rows = reading->store().commands();
    uint64_t slowest = 1;
    for (uint64_t number = 1; number <= rows.size(); ++number) {
        if (rows[number - 1].turnaround_ns() > rows[slowest - 1].turnaround_ns()) slowest = number;
    }
    int column = -1;
    for (int i = 0; i < commands.model().columnCount(); ++i) {
        if (commands.model()
                .headerData(i, Qt::Horizontal, Qt::DisplayRole)
                .toString()
                .contains(QStringLiteral("turnaround"), Qt::CaseInsensitive)) {
            column = i;
        }
    }
    ASSERT_GE(column, 0);
    commands.sort(column, Qt::DescendingOrder);
    settle(capture);
    const QModelIndex first = commands.model().index(0, 0);
    QTest::mouseClick(commands.table().viewport(), Qt::LeftButton, {},
                      commands.table().visualRect(first).center());
    settle(capture);
    const SelectedThings& selected = capture.state().selected();
    EXPECT_EQ(selected.command, slowest);
    EXPECT_EQ(selected.pdus.size(), rows[slowest - 1].pdus);
    EXPECT_FALSE(selected.packets.empty());
    // F frames it in every view.
    QTest::keyClick(window.get(), Qt::Key_F);
    EXPECT_TRUE(capture.state().range().contains(selected.range));
    EXPECT_LT(capture.state().range().span_ns(), selected.range.span_ns() * 2);
    capture.show_view("ladder");
    settle(capture);
    EXPECT_EQ(capture.state().connection(), rows[slowest - 1].connection);
    capture.show_view("details");
    settle(capture);
    EXPECT_EQ(selected.packet, rows[slowest - 1].request_packet);
}

// What a selection consists of is found out on a worker: no event is processed between the click and the key, so that it is not
// known yet when the key comes.
TEST_F(WindowTest, FRightAfterAClickFramesTheNewSelection) {
    CaptureWindow& capture = opened(sample(with_losses));
    auto& commands = view<RowsView>(capture, "commands");
    capture.state().select({Selection::Kind::command, 40});
    settle(capture);
    const TimeRange before = capture.state().selected().range;
    commands.table().scrollToTop();
    const QModelIndex first = commands.model().index(0, 0);
    const QPoint at = commands.table().visualRect(first).center();
    QTest::mouseClick(commands.table().viewport(), Qt::LeftButton, {}, at);
    ASSERT_EQ(capture.state().selection(), (Selection{Selection::Kind::command, 1}));
    QTest::keyClick(window.get(), Qt::Key_F);
    settle(capture);
    const TimeRange framed = capture.state().range();
    const TimeRange selected = capture.state().selected().range;
    ASSERT_FALSE(before.empty());
    ASSERT_FALSE(selected.overlaps(before));
    EXPECT_TRUE(framed.contains(selected));
    EXPECT_FALSE(framed.overlaps(before));
    EXPECT_LT(framed.span_ns(), selected.span_ns() * 2);
}

TEST_F(WindowTest, CtrlBRightAfterAClickBookmarksTheNewSelection) {
    CaptureWindow& capture = opened(sample(with_losses));
    auto& packets = view<RowsView>(capture, "packets");
    capture.state().select({Selection::Kind::packet, 4711});
    settle(capture);
    packets.table().scrollToTop();
    const QModelIndex third = packets.model().index(2, 0);
    const QPoint at = packets.table().visualRect(third).center();
    QTest::mouseClick(packets.table().viewport(), Qt::LeftButton, {}, at);
    QTest::keySequence(window.get(), QKeySequence(Qt::CTRL | Qt::Key_B));
    settle(capture);
    EXPECT_TRUE(capture.document().notes().has(3));
    EXPECT_FALSE(capture.document().notes().has(4711));
}

TEST_F(WindowTest, PacketsExportedRightAfterASelectionAreThoseOfTheNewOne) {
    CaptureWindow& capture = opened(sample(with_losses));
    capture.state().select({Selection::Kind::command, 40});
    settle(capture);
    const QString path = folder.filePath(QStringLiteral("packet.pcapng"));
    answer_file_dialog(path);
    capture.state().select({Selection::Kind::packet, 4711});
    action(QStringLiteral("Export the selected packets"))->trigger();
    ASSERT_TRUE(wait_until([&] { return QFileInfo::exists(path); }, 20'000));
    auto source = open_capture(path.toStdString());
    ASSERT_TRUE(source);
    PacketBatch batch;
    size_t found = 0;
    while ((*source)->claim(batch)) {
        (*source)->load(batch);
        (*source)->parse(batch);
        found += batch.packets.size();
    }
    EXPECT_EQ(found, 1u);
}

TEST_F(WindowTest, AFilterOverOurColumnsHoldsForAllTables) {
    CaptureWindow& capture = opened(sample(with_losses));
    auto& commands = view<RowsView>(capture, "commands");
    const int all = commands.model().rowCount();
    QTest::keySequence(window.get(), QKeySequence::Find);
    type(capture, QStringLiteral("turnaround_ns > 10ms"));
    ASSERT_NE(capture.state().filter(), nullptr) << capture.filter_line().message().toStdString();
    const auto reading = capture.document().data()->try_read();
    int expected = 0;
    for (const CommandRow& row : reading->store().commands()) {
        if (row.turnaround_ns() != no_time && row.turnaround_ns() > 10'000'000) ++expected;
    }
    EXPECT_EQ(commands.model().rowCount(), expected);
    EXPECT_LT(expected, all);
    EXPECT_GT(expected, 0);
    auto& pdus = view<RowsView>(capture, "pdus");
    EXPECT_LT(pdus.model().rowCount(), static_cast<int>(reading->store().pdus().size()));
    EXPECT_GT(pdus.model().rowCount(), 0);
    capture.filter_line().clear();
    settle(capture);
    EXPECT_EQ(capture.state().filter(), nullptr);
    EXPECT_EQ(view<RowsView>(capture, "commands").model().rowCount(), all);
}

TEST_F(WindowTest, AClickOnAPartOfTheTimeBringsTheCommandsThatLostMostToIt) {
    CaptureWindow& capture = opened(sample(with_losses));
    auto& budgets = view<TimeBudgetsView>(capture, "time-budgets");
    const BreakdownModel& model = budgets.table().breakdown_model();
    int recovery = -1;
    for (int column = 0; column < model.columnCount(); ++column) {
        if (model.part_at(column) == BudgetPart::recovery) recovery = column;
    }
    ASSERT_GE(recovery, 0);
    const QModelIndex cell = model.index(0, recovery);
    budgets.table().scrollTo(cell);
    QTest::mouseClick(budgets.table().viewport(), Qt::LeftButton, {},
                      budgets.table().visualRect(cell).center());
    ASSERT_TRUE(wait_until([&] { return capture.state().filter() != nullptr; }));
    settle(capture);
    EXPECT_EQ(capture.current_view_name().toStdString(), "commands");
    auto& commands = view<RowsView>(capture, "commands");
    ASSERT_TRUE(commands.isVisible());
    const auto reading = capture.document().data()->try_read();
    std::vector<int64_t> expected;
    for (uint64_t number = 1; number <= reading->store().commands().size(); ++number) {
        CommandBudget budget;
        ASSERT_TRUE(reading->budgets()->find(number, budget));
        if (budget[BudgetPart::recovery] > 0) expected.push_back(budget[BudgetPart::recovery]);
    }
    std::ranges::sort(expected, std::greater());
    ASSERT_GT(expected.size(), 10u);
    ASSERT_EQ(commands.model().rowCount(), static_cast<int>(expected.size()));
    const auto column = find_column(commands.model().access().columns(), "budget_recovery_ns");
    ASSERT_TRUE(column);
    EXPECT_FALSE(commands.table().isColumnHidden(static_cast<int>(*column)));
    for (int row = 0; row < commands.model().rowCount(); ++row) {
        Cell value;
        ASSERT_TRUE(commands.model().cell(row, static_cast<int>(*column), value));
        EXPECT_EQ(value.integer, expected[static_cast<size_t>(row)]);
    }
    // It is seen, and not merely there.
    const QRect seen = commands.table().visualRect(commands.model().index(0, static_cast<int>(*column)));
    EXPECT_TRUE(commands.table().viewport()->rect().contains(seen.center()));
}

TEST_F(WindowTest, AWrongFilterIsToldAndChangesNothing) {
    CaptureWindow& capture = opened(sample(with_losses));
    type(capture, QStringLiteral("turnaround_ns > banana"));
    EXPECT_EQ(capture.state().filter(), nullptr);
    EXPECT_FALSE(capture.filter_line().message().isEmpty());
}

#ifdef SANSCOPE_WITH_WIRESHARK
TEST_F(WindowTest, AWiresharkFilterChoosesPackets) {
    CaptureWindow& capture = opened(sample("nop-logout.pcap"));
    type(capture, QStringLiteral("iscsi.opcode == 0x01"));
    ASSERT_NE(capture.state().filter(), nullptr) << capture.filter_line().message().toStdString();
    EXPECT_EQ(capture.filter_line().taken_for().toStdString(), "wireshark");
    const size_t packets = capture.state().filter()->rows.packets.count();
    EXPECT_GT(packets, 0u);
    EXPECT_EQ(static_cast<size_t>(view<RowsView>(capture, "packets").model().rowCount()), packets);
}
#endif

TEST_F(WindowTest, KeysMoveThroughTime) {
    CaptureWindow& capture = opened(sample(with_losses));
    ViewState& state = capture.state();
    const TimeRange whole = state.whole();
    QTest::keyClick(window.get(), Qt::Key_W);
    EXPECT_LT(state.range().span_ns(), whole.span_ns());
    const TimeRange near = state.range();
    QTest::keyClick(window.get(), Qt::Key_D);
    EXPECT_GT(state.range().begin_ns, near.begin_ns);
    QTest::keyClick(window.get(), Qt::Key_A);
    EXPECT_NEAR(static_cast<double>(state.range().begin_ns), static_cast<double>(near.begin_ns), 2);
    QTest::keyClick(window.get(), Qt::Key_Plus);
    EXPECT_LT(state.range().span_ns(), near.span_ns());
    QTest::keyClick(window.get(), Qt::Key_Minus);
    QTest::keyClick(window.get(), Qt::Key_S);
    QTest::keyClick(window.get(), Qt::Key_0);
    EXPECT_EQ(state.range(), whole);
    QTest::keyClick(window.get(), Qt::Key_I);
    EXPECT_EQ(state.range(), state.first_view());
    QTest::keyClick(window.get(), Qt::Key_0);
    View* const layers = capture.view("layers");
    capture.show_view("layers");
    QTest::keyClick(QApplication::focusWidget() != nullptr ? QApplication::focusWidget() : layers, Qt::Key_W);
    const TimeRange before = state.range();
    QTest::keyClick(QApplication::focusWidget() != nullptr ? QApplication::focusWidget() : layers,
                    Qt::Key_Right);
    EXPECT_GT(state.range().begin_ns, before.begin_ns);
    QTest::keySequence(window.get(), QKeySequence(Qt::ALT | Qt::Key_Left));
    EXPECT_NE(state.range().begin_ns, before.begin_ns + 1);
    EXPECT_TRUE(state.can_go_forward());
}

TEST_F(WindowTest, ARangeIsSelectedZoomedToAndCleared) {
    CaptureWindow& capture = opened(sample(with_losses));
    const TimeRange whole = capture.state().whole();
    const TimeRange selected{whole.begin_ns + whole.span_ns() / 4, whole.begin_ns + whole.span_ns() / 3};
    capture.state().set_selected_range(selected);
    auto& figures = view<SelectedRangeView>(capture, "selected-range");
    EXPECT_THAT(figures.findChild<QLabel*>()->text().toStdString(), testing::Not(testing::IsEmpty()));
    action(QStringLiteral("Zoom to the selected range"))->trigger();
    EXPECT_EQ(capture.state().range(), selected);
    capture.setFocus();
    QTest::keyClick(&capture, Qt::Key_Escape);
    EXPECT_TRUE(capture.state().selected_range().empty());
    // What there is nothing of does nothing.
    action(QStringLiteral("Zoom to the selected range"))->trigger();
    EXPECT_EQ(capture.state().range(), selected);
    action(QStringLiteral("Select the range in sight"))->trigger();
    EXPECT_EQ(capture.state().selected_range(), selected);
}

// As in links and layouts of before.
TEST_F(WindowTest, AViewIsFoundByItsFormerName) {
    const ViewKind* const kind = find_view_kind("stretch");
    ASSERT_NE(kind, nullptr);
    EXPECT_EQ(kind, find_view_kind("selected-range"));
    EXPECT_EQ(kind->layout_name(), QStringLiteral("dock-stretch"));
    EXPECT_EQ(find_view_kind(""), nullptr);
    CaptureWindow& capture = opened(sample(with_losses));
    capture.show_view("stretch");
    EXPECT_EQ(capture.current_view_name(), QStringLiteral("selected-range"));
}

TEST_F(WindowTest, StatisticsAreAMenuAwayAndFilter) {
    CaptureWindow& capture = opened(sample(with_losses));
    action(QStringLiteral("Service response times"))->trigger();
    settle(capture);
    auto& statistics = view<StatisticsView>(capture, "statistics");
    EXPECT_EQ(statistics.page(), StatisticsPage::service_response_times);
    ASSERT_FALSE(statistics.statistics().rows.empty());
    Q_EMIT statistics.table().activated(statistics.table().model()->index(0, 0));
    settle(capture);
    ASSERT_NE(capture.state().filter(), nullptr);
    EXPECT_EQ(capture.state().filter()->table, "commands");
}

TEST_F(WindowTest, AnyCommandIsFoundByPartsOfItsName) {
    CaptureWindow& capture = opened(sample(with_losses));
    QTest::keyClick(window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    auto* const palette = window->findChild<CommandPalette*>();
    ASSERT_NE(palette, nullptr);
    EXPECT_GT(palette->found().size(), 40);
    auto* const line = palette->findChild<QLineEdit*>();
    QTest::keyClicks(line, QStringLiteral("retrans"));
    ASSERT_FALSE(palette->found().isEmpty());
    EXPECT_EQ(palette->found().first(), QStringLiteral("Statistics › Retransmissions by cause"));
    line->clear();
    QTest::keyClicks(line, QStringLiteral("no such command"));
    EXPECT_TRUE(palette->found().isEmpty());
    QTest::keyClick(line, Qt::Key_Return);
    line->clear();
    capture.state().set_range(
        {capture.state().whole().begin_ns, capture.state().whole().begin_ns + 1'000'000});
    QTest::keyClicks(line, QStringLiteral("all of capt"));
    QTest::keyClick(line, Qt::Key_Return);
    EXPECT_TRUE(wait_until([&] { return capture.state().range() == capture.state().whole(); }));
    EXPECT_TRUE(wait_until([&] { return window->findChild<CommandPalette*>() == nullptr; }));
}

TEST_F(WindowTest, LettersTypedIntoTheFilterAreNoKeys) {
    CaptureWindow& capture = opened(sample(with_losses));
    QTest::keySequence(window.get(), QKeySequence::Find);
    const TimeRange before = capture.state().range();
    QTest::keyClicks(&capture.filter_line().edit(), QStringLiteral("wasd+-f0np"));
    EXPECT_EQ(capture.state().range(), before);
    EXPECT_EQ(capture.filter_line().edit().text().toStdString(), "wasd+-f0np");
}

TEST_F(WindowTest, GoesToAPacketByNumberAndOnToItsNeighbours) {
    CaptureWindow& capture = opened(sample(with_losses));
    QTimer::singleShot(100, qApp, [] {
        auto* const dialog = qobject_cast<QInputDialog*>(QApplication::activeModalWidget());
        ASSERT_NE(dialog, nullptr);
        dialog->setIntValue(4711);
        dialog->accept();
    });
    QTest::keySequence(window.get(), QKeySequence(Qt::CTRL | Qt::Key_G));
    window->activateWindow();
    EXPECT_TRUE(QTest::qWaitForWindowActive(window.get()));
    settle(capture);
    EXPECT_EQ(capture.state().selection(), (Selection{Selection::Kind::packet, 4711}));
    EXPECT_EQ(capture.state().selected().packet, 4711u);
    QTest::keyClick(window.get(), Qt::Key_N);
    EXPECT_EQ(capture.state().selection().number, 4712u);
    QTest::keyClick(window.get(), Qt::Key_P);
    QTest::keyClick(window.get(), Qt::Key_P);
    EXPECT_EQ(capture.state().selection().number, 4710u);
}

TEST_F(WindowTest, APacketBeyondTheLastIsNoneAndTheStatusBarSaysSo) {
    CaptureWindow& capture = opened(sample(with_losses));
    const Selection before = capture.state().selection();
    QTimer::singleShot(100, qApp, [] {
        auto* const dialog = qobject_cast<QInputDialog*>(QApplication::activeModalWidget());
        ASSERT_NE(dialog, nullptr);
        dialog->setIntValue(1'000'000);
        dialog->accept();
    });
    QTest::keySequence(window.get(), QKeySequence(Qt::CTRL | Qt::Key_G));
    settle(capture);
    EXPECT_EQ(capture.state().selection(), before);
    EXPECT_THAT(capture.statusBar()->currentMessage().toStdString(), HasSubstr("no packet 1,000,000"));
}

// The first view leaves out what comes long after the sessions; all of it is a key away, and the label says of how much.
TEST_F(WindowTest, TheFirstViewIsTheIscsiTraffic) {
    CaptureWindow& capture = opened(sample("two-sessions.pcap.lz4"));
    const ViewState& state = capture.state();
    EXPECT_LT(state.range().span_ns(), state.whole().span_ns() / 50);
    const auto* const label = capture.findChild<QLabel*>(QStringLiteral("range"));
    ASSERT_NE(label, nullptr);
    EXPECT_THAT(label->text().toStdString(), HasSubstr(" of 1.78 s"));
    QTest::keyClick(window.get(), Qt::Key_0);
    EXPECT_EQ(state.range(), state.whole());
}

// A row can be lit because it stands for a packet that is selected: a click on it means the row.
TEST_F(WindowTest, AClickOnALitRowSelectsIt) {
    CaptureWindow& capture = opened(sample(with_losses));
    auto& commands = view<RowsView>(capture, "commands");
    const auto reading = capture.document().data()->try_read();
    const PacketNumber packet = reading->store().commands()[39].request_packet;
    capture.state().select({Selection::Kind::packet, packet});
    settle(capture);
    const QModelIndex lit = commands.table().currentIndex();
    ASSERT_TRUE(lit.isValid());
    ASSERT_EQ(capture.state().selection().kind, Selection::Kind::packet);
    const uint64_t number = capture.state().selected().first(Selection::Kind::command);
    QTest::mouseClick(commands.table().viewport(), Qt::LeftButton, {},
                      commands.table().visualRect(lit).center());
    EXPECT_EQ(capture.state().selection(), (Selection{Selection::Kind::command, number}));
}

TEST_F(WindowTest, CtrlBOpensTheNoteForTyping) {
    CaptureWindow& capture = opened(sample(with_losses));
    capture.state().select({Selection::Kind::command, 40});
    settle(capture);
    const PacketNumber packet = capture.state().selected().packet;
    QTest::keySequence(window.get(), QKeySequence(Qt::CTRL | Qt::Key_B));
    settle(capture);
    ASSERT_TRUE(wait_until([] { return qobject_cast<QLineEdit*>(QApplication::focusWidget()) != nullptr; }));
    EXPECT_EQ(capture.current_view_name().toStdString(), "notes");
    QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("slow one"));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
    const auto text = [&] { return capture.document().notes().all().at(packet).toStdString(); };
    EXPECT_TRUE(wait_until([&] { return !text().empty(); }));
    EXPECT_EQ(text(), "slow one");
    EXPECT_EQ(capture.state().selection(), (Selection{Selection::Kind::command, 40}));
}

TEST_F(WindowTest, RowsAreExportedOfTheTableLookedAtLast) {
    CaptureWindow& capture = opened(sample(with_losses));
    view<RowsView>(capture, "losses");
    capture.show_view("overview");
    settle(capture);
    ASSERT_NE(capture.table_in_front(), nullptr);
    EXPECT_EQ(capture.table_in_front()->table_name().toStdString(), "losses");
    const QString path = folder.filePath(QStringLiteral("losses.csv"));
    answer_file_dialog(path);
    action(QStringLiteral("Export the rows"))->trigger();
    ASSERT_TRUE(wait_until([&] { return QFileInfo(path).size() > 0; }, 20'000));
    std::ifstream file(path.toStdString());
    std::string header;
    std::getline(file, header);
    EXPECT_THAT(header, HasSubstr("original_packet"));
}

// From a finding to the rows it counts: the filter is there to be seen, and selects as many.
TEST_F(WindowTest, AFindingsLinkShowsTheRowsItCounts) {
    CaptureWindow& capture = opened(sample(with_losses));
    auto& findings = view<FindingsView>(capture, "findings");
    const auto at = std::ranges::find(findings.findings(), Finding::Kind::lost_segments, &Finding::kind);
    ASSERT_NE(at, findings.findings().end());
    const int row = findings.row_of(static_cast<size_t>(at - findings.findings().begin()));
    const QModelIndex index = findings.list().model()->index(row, 0);
    findings.list().scrollTo(index);
    const QRect rect = findings.list().visualRect(index);
    QPoint link(-1, -1);
    for (int y = rect.top(); y <= rect.bottom() && link.x() < 0; y += 4) {
        if (findings.link_at(index, {rect.left() + 60, y}) >= 0) link = {rect.left() + 60, y};
    }
    ASSERT_GE(link.x(), 0) << "no link";
    ASSERT_TRUE(findings.list().viewport()->rect().contains(link));
    const Selection before = capture.state().selection();
    QTest::mouseClick(findings.list().viewport(), Qt::LeftButton, {}, link);
    ASSERT_TRUE(wait_until([&] { return capture.state().filter() != nullptr; }));
    settle(capture);
    EXPECT_EQ(capture.state().selection(), before) << "the link leads elsewhere than the row";
    EXPECT_EQ(capture.current_view_name().toStdString(), "losses");
    const int losses = view<RowsView>(capture, "losses").model().rowCount();
    EXPECT_THAT(at->title, testing::StartsWith(std::to_string(losses) + " segments"));
}

TEST_F(WindowTest, AFileDroppedIsOpened) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(sample("nop-logout.pcap"))});
    QDragEnterEvent enter({100, 100}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(window.get(), &enter);
    EXPECT_TRUE(enter.isAccepted());
    QDropEvent drop({100, 100}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(window.get(), &drop);
    EXPECT_EQ(window->captures(), 1);
}

TEST_F(WindowTest, SeveralFilesDroppedAreMergedOnRequest) {
    const QStringList paths{sample("nop-logout.pcap"), sample("check-conditions.pcap")};
    PacketNumber packets = 0;
    for (const QString& path : paths) packets += testing_gui::loaded(path)->data()->read().index().packets();
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(paths[0]), QUrl::fromLocalFile(paths[1])});
    QDragEnterEvent enter({100, 100}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(window.get(), &enter);
    EXPECT_TRUE(enter.isAccepted());
    QDropEvent drop({100, 100}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(window.get(), &drop);
    EXPECT_EQ(window->captures(), 0);
    auto* const box = window->findChild<QMessageBox*>();
    ASSERT_NE(box, nullptr);
    EXPECT_TRUE(box->text().contains(QStringLiteral("Clocks")));
    for (QAbstractButton* const button : box->buttons()) {
        if (button->text().remove(QLatin1Char('&')) == QStringLiteral("Merge")) button->click();
    }
    ASSERT_TRUE(wait_until([&] { return window->captures() == 1; }));
    CaptureWindow& capture = *window->current();
    ASSERT_TRUE(wait_until([&] { return capture.document().has_loaded(); }));
    // It stands among the recordings that have no name yet.
    const QString merged = capture.document().path();
    EXPECT_EQ(capture.document().data()->read().index().packets(), packets);
    EXPECT_TRUE(capture.statusBar()->currentMessage().contains(QStringLiteral("clocks")));
    EXPECT_TRUE(QFile::remove(merged));
}

// From the menu to the figures, from a figure to its commands and from a finding to its place, each in a tab of its own.
TEST_F(WindowTest, TwoCapturesAreComparedInATab) {
    opened(sample(with_losses));
    answer_file_dialog(sample("reads-4k-qd8.pcap.zst"));
    action(QStringLiteral("Compare with"))->trigger();
    auto* const tabs = window->findChild<QTabWidget*>();
    auto* const comparison = qobject_cast<ComparisonView*>(tabs->currentWidget());
    ASSERT_NE(comparison, nullptr);
    ASSERT_TRUE(wait_until([&] { return comparison->settled() && comparison->captures() != nullptr; }));
    EXPECT_EQ(window->captures(), 1);
    EXPECT_EQ(window->current(), nullptr);
    EXPECT_FALSE(action(QStringLiteral("Zoom in"))->isEnabled());
    EXPECT_THAT(window->windowTitle().toStdString(), HasSubstr("reads-4k-qd8.pcap.zst"));
    const auto choose = [&](auto matches) {
        const ComparisonModel& model = comparison->model();
        for (int group = 0; group < model.rowCount(); ++group) {
            const QModelIndex parent = model.index(group, 0);
            for (int row = 0; row < model.rowCount(parent); ++row) {
                const QModelIndex index = model.index(row, 0, parent);
                if (!matches(*model.row_of(index))) continue;
                comparison->tree().setCurrentIndex(index);
                comparison->tree().setFocus();
                QTest::keyClick(&comparison->tree(), Qt::Key_Return);
                return true;
            }
        }
        return false;
    };

    ASSERT_TRUE(choose([](const ComparisonRow& row) { return row.mark == ComparisonRow::Mark::gone; }));
    ASSERT_NE(window->current(), nullptr);
    EXPECT_EQ(window->captures(), 1);
    EXPECT_THAT(window->current()->document().path().toStdString(), HasSubstr(with_losses));
    EXPECT_LT(window->current()->state().range().span_ns(), window->current()->state().whole().span_ns());

    tabs->setCurrentWidget(comparison);
    uint64_t lun = 0;
    ASSERT_TRUE(choose([&](const ComparisonRow& row) {
        if (row.change == nullptr || row.change->after == nullptr || row.change->any().place.command.empty())
            return false;
        lun = row.change->any().place.lun;
        return true;
    }));
    ASSERT_TRUE(wait_until([&] { return window->captures() == 2 && window->current() != nullptr; }));
    CaptureWindow& after = *window->current();
    EXPECT_THAT(after.document().path().toStdString(), HasSubstr("reads-4k-qd8.pcap.zst"));
    ASSERT_TRUE(wait_until([&] { return after.state().filter() != nullptr; }))
        << after.filter_line().message().toStdString();
    settle(after);
    auto& commands = view<RowsView>(after, "commands");
    const auto reading = after.document().data()->try_read();
    EXPECT_GT(commands.model().rowCount(), 0);
    EXPECT_LT(commands.model().rowCount(), static_cast<int>(reading->store().commands().size()));
    after.state().filter()->rows.commands.for_each(
        [&](size_t row) { EXPECT_EQ(reading->store().commands()[row].lun, lun); });

    tabs->setCurrentWidget(comparison);
    action(QStringLiteral("Close"))->trigger();
    EXPECT_EQ(window->captures(), 2);
    EXPECT_EQ(tabs->count(), 2);
    EXPECT_NE(window->current(), nullptr);
}

TEST_F(WindowTest, WithoutACaptureBothAreAskedFor) {
    answer_file_dialog(sample("reads-4k-qd8.pcap.zst"));
    QTimer::singleShot(0, [] { answer_file_dialog(sample("nop-logout.pcap")); });
    action(QStringLiteral("Compare with"))->trigger();
    auto* const comparison = window->findChild<ComparisonView*>();
    ASSERT_NE(comparison, nullptr);
    action(QStringLiteral("Close"))->trigger();
    EXPECT_EQ(window->findChild<QTabWidget*>()->count(), 0);
}

TEST_F(WindowTest, DamageIsToldInABar) {
    CaptureWindow& capture = opened(sample("cut-off.pcap"));
    const auto* const bar = capture.findChild<MessageBar*>();
    EXPECT_TRUE(bar->isVisible());
    EXPECT_THAT(bar->message().toStdString(), HasSubstr("damaged at byte"));
    EXPECT_FALSE(opened(sample("nop-logout.pcap")).findChild<MessageBar*>()->isVisible());
}

TEST_F(WindowTest, AFormatThatOnlyWiresharkKnowsIsTold) {
    const QString path = folder.filePath(QStringLiteral("solaris.snoop"));
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    QDataStream to(&file);  // RFC 1761: big-endian
    to.writeRawData("snoop\0\0", 8);
    constexpr quint32 version = 2;
    constexpr quint32 ethernet = 4;
    constexpr quint32 frame_bytes = 60;
    constexpr quint32 record_bytes = 24 + frame_bytes;
    to << version << ethernet << frame_bytes << frame_bytes << record_bytes << quint32{0}
       << quint32{1'700'000'000} << quint32{5};
    to.writeRawData(QByteArray(frame_bytes, '\0').constData(), frame_bytes);
    file.close();
    const auto labels = opened(path).statusBar()->findChildren<QLabel*>();
    EXPECT_TRUE(std::ranges::any_of(labels, [](const QLabel* label) {
        return label->text().startsWith(QStringLiteral("1 packet of a ")) &&
               label->text().endsWith(QStringLiteral("snoop file, read by Wireshark's reader"));
    }));
}

TEST_F(WindowTest, WhatCannotBeOpenedIsToldAndNothingElseHappens) {
    EXPECT_FALSE(window->open({folder.filePath(QStringLiteral("none.pcap")), folder.path()}));
    EXPECT_EQ(window->captures(), 0);
    const auto boxes = window->findChildren<QMessageBox*>();
    ASSERT_EQ(boxes.size(), 1);
    EXPECT_THAT(boxes.first()->text().toStdString(), HasSubstr("none.pcap"));
    boxes.first()->close();
    EXPECT_TRUE(recent_files().isEmpty());
}

void write_empty_capture(const QString& path, bool one_packet) {
    const unsigned char header[] = {0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0,
                                    0,    0,    0,    0,    0, 0, 4, 0, 1, 0, 0, 0};
    const unsigned char packet[] = {1, 0, 0, 0, 0, 0, 0, 0, 14, 0, 0, 0,  14, 0, 0,
                                    0, 0, 1, 2, 3, 4, 5, 6, 7,  8, 9, 10, 11, 8, 6};
    std::ofstream file(path.toStdString(), std::ios::binary);
    file.write(reinterpret_cast<const char*>(header), sizeof header);
    if (one_packet) file.write(reinterpret_cast<const char*>(packet), sizeof packet);
}

TEST_F(WindowTest, CapturesOfNothingAndOfOnePacketShowThatInEveryView) {
    for (const bool one_packet : {false, true}) {
        const QString path =
            folder.filePath(one_packet ? QStringLiteral("one.pcap") : QStringLiteral("empty.pcap"));
        write_empty_capture(path, one_packet);
        CaptureWindow& capture = opened(path);
        for (const ViewKind& kind : view_kinds()) {
            capture.show_view(kind.name);
            settle(capture);
            QImage image(capture.view(kind.name)->size(), QImage::Format_RGB32);
            image.fill(Qt::magenta);
            capture.view(kind.name)->render(&image);
            std::set<QRgb> colours;
            for (int y = 0; y < image.height(); ++y) {
                for (int x = 0; x < image.width(); ++x) colours.insert(image.pixel(x, y));
            }
            EXPECT_GT(colours.size(), 1u) << kind.name << " draws nothing";
            EXPECT_FALSE(colours.contains(QColor(Qt::magenta).rgb())) << kind.name << " leaves a part blank";
        }
        for (const Qt::Key key :
             {Qt::Key_W, Qt::Key_S, Qt::Key_A, Qt::Key_D, Qt::Key_F, Qt::Key_0, Qt::Key_N}) {
            QTest::keyClick(window.get(), key);
        }
        settle(capture);
    }
}

TEST_F(WindowTest, PicturesAreWrittenInEveryFormat) {
    CaptureWindow& capture = opened(sample(with_losses));
    capture.show_view("layers");
    settle(capture);
    for (const char* const ending : {"png", "svg", "pdf"}) {
        const QString path = folder.filePath(QStringLiteral("layers.") + QString::fromUtf8(ending));
        answer_file_dialog(path);
        action(QStringLiteral("Export the view"))->trigger();
        ASSERT_TRUE(wait_until([&] { return QFileInfo::exists(path); }, 10'000)) << ending;
        EXPECT_GT(QFileInfo(path).size(), 2000) << ending;
    }
    const QImage picture(folder.filePath(QStringLiteral("layers.png")));
    EXPECT_EQ(picture.size(), capture.view("layers")->size() * 2);
}

TEST_F(WindowTest, ThePacketsOfACommandBecomeACaptureOfTheirOwn) {
    CaptureWindow& capture = opened(sample(with_losses));
    capture.state().select({Selection::Kind::command, 40});
    settle(capture);
    const size_t packets = capture.state().selected().packets.size();
    const QString path = folder.filePath(QStringLiteral("command.pcapng"));
    answer_file_dialog(path);
    action(QStringLiteral("Export the selected packets"))->trigger();
    ASSERT_TRUE(wait_until([&] { return QFileInfo::exists(path); }, 20'000));
    auto source = open_capture(path.toStdString());
    ASSERT_TRUE(source);
    PacketBatch batch;
    size_t found = 0;
    while ((*source)->claim(batch)) {
        (*source)->load(batch);
        (*source)->parse(batch);
        found += batch.packets.size();
    }
    EXPECT_EQ(found, packets);
}

TEST_F(WindowTest, RowsInFrontAreExportedAsTheyAreShown) {
    CaptureWindow& capture = opened(sample(with_losses));
    type(capture, QStringLiteral("turnaround_ns > 10ms"));
    auto& commands = view<RowsView>(capture, "commands");
    const QString path = folder.filePath(QStringLiteral("slow.csv"));
    answer_file_dialog(path);
    action(QStringLiteral("Export the rows"))->trigger();
    ASSERT_TRUE(
        wait_until([&] { return QFileInfo::exists(path) && !commands.csv_export().running(); }, 20'000));
    std::ifstream file(path.toStdString());
    int lines = 0;
    for (std::string line; std::getline(file, line);) ++lines;
    EXPECT_EQ(lines, commands.model().rowCount() + 1);
}

TEST_F(WindowTest, TheIoGraphIsAMenuAwayAndItsIntervalsAreExported) {
    CaptureWindow& capture = opened(sample(with_losses));
    QAction* opens = nullptr;
    for (QAction* const top : window->menuBar()->actions()) {
        if (top->text() == QStringLiteral("&Statistics")) opens = top->menu()->actions().back();
    }
    ASSERT_NE(opens, nullptr);
    opens->trigger();
    settle(capture);
    EXPECT_EQ(capture.current_view_name().toStdString(), "io-graph");
    auto& graph = view<IoGraphView>(capture, "io-graph");
    size_t in_sight = 0;
    const GraphIntervals& intervals = graph.picture().intervals;
    for (size_t i = 0; i < intervals.count; ++i)
        in_sight += intervals.interval(i).overlaps(capture.state().range()) ? 1u : 0u;
    EXPECT_GT(in_sight, 20u);
    const QString path = folder.filePath(QStringLiteral("graph.csv"));
    answer_file_dialog(path);
    action(QStringLiteral("Export the rows"))->trigger();
    ASSERT_TRUE(wait_until([&] { return QFileInfo::exists(path); }, 20'000));
    std::ifstream file(path.toStdString());
    size_t lines = 0;
    for (std::string line; std::getline(file, line);) ++lines;
    EXPECT_EQ(lines, in_sight + 1);
}

TEST_F(WindowTest, WhatAGraphsLinesSayCanBeRead) {
    CaptureWindow& capture = opened(sample(with_losses));
    capture.show_view("io-graph");
    settle(capture);
    for (const QComboBox* const box :
         view<IoGraphView>(capture, "io-graph").editor().findChildren<QComboBox*>())
        EXPECT_GE(box->width(), box->minimumSizeHint().width()) << box->accessibleName().toStdString();
}

TEST_F(WindowTest, NotesAreKeptInACopyOfTheCapture) {
    const QString path = folder.filePath(QStringLiteral("noted.pcapng"));
    {
        CaptureWindow& capture = opened(sample("reads-4k-qd8.pcap.zst"));
        capture.state().select({Selection::Kind::packet, 77});
        settle(capture);
        QTest::keySequence(window.get(), QKeySequence(Qt::CTRL | Qt::Key_B));
        EXPECT_TRUE(capture.document().notes().has(77));
        capture.document().notes().set(77, QStringLiteral("here it waits"));
        answer_file_dialog(path);
        action(QStringLiteral("Save a copy with notes"))->trigger();
        ASSERT_TRUE(wait_until([&] { return QFileInfo::exists(path); }, 20'000));
        ASSERT_TRUE(wait_until([&] { return !capture.document().notes().modified(); }));
    }
    CaptureWindow& again = opened(path);
    EXPECT_EQ(again.document().notes().all().at(77).toStdString(), "here it waits");
    EXPECT_FALSE(again.document().notes().modified());
}

// Presses the button of the question that comes next.
void answer_question(const QString& button) {
    auto* const timer = new QTimer(qApp);
    QObject::connect(timer, &QTimer::timeout, [timer, button] {
        auto* const box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
        if (box == nullptr) return;
        timer->stop();
        timer->deleteLater();
        for (QAbstractButton* const one : box->buttons()) {
            if (one->text().remove(QLatin1Char('&')).startsWith(button)) return one->click();
        }
        ADD_FAILURE() << "no button " << button.toStdString();
        box->reject();
    });
    timer->start(20);
}

TEST_F(WindowTest, ClosingWaitsForAFileThatIsBeingWritten) {
    CaptureWindow& capture = opened(sample("nop-logout.pcap"));
    const QString path = QStringLiteral("/somewhere/slow.csv");
    Writings& writings = capture.document().writings();
    writings.begin(path);
    answer_question(QStringLiteral("Cancel"));
    action(QStringLiteral("Close"))->trigger();
    EXPECT_EQ(window->captures(), 1);
    answer_question(QStringLiteral("Wait"));
    action(QStringLiteral("Close"))->trigger();
    EXPECT_EQ(window->captures(), 1);
    // What failed is to be seen.
    writings.end(path, false);
    QApplication::processEvents();
    EXPECT_EQ(window->captures(), 1);
    writings.begin(path);
    answer_question(QStringLiteral("Wait"));
    action(QStringLiteral("Close"))->trigger();
    EXPECT_EQ(window->captures(), 1);
    writings.end(path, true);
    EXPECT_TRUE(wait_until([&] { return window->captures() == 0; }));
}

TEST_F(WindowTest, AFileThatIsWrittenWhileItIsAskedAgainClosesOnce) {
    CaptureWindow& capture = opened(sample("nop-logout.pcap"));
    Writings* const writings = &capture.document().writings();
    writings->begin(QStringLiteral("/somewhere/slow.csv"));
    answer_question(QStringLiteral("Wait"));
    action(QStringLiteral("Close"))->trigger();
    ASSERT_EQ(window->captures(), 1);
    QTimer::singleShot(100, qApp, [&, writings] {
        auto* const box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
        ASSERT_NE(box, nullptr);
        writings->end(QStringLiteral("/somewhere/slow.csv"), true);
        EXPECT_TRUE(wait_until([&] { return window->captures() == 0; }));
        for (QAbstractButton* const one : box->buttons()) {
            if (one->text().contains(QStringLiteral("without"))) return one->click();
        }
        FAIL() << "no such button";
    });
    action(QStringLiteral("Close"))->trigger();
    EXPECT_EQ(window->captures(), 0);
}

TEST_F(WindowTest, TheWindowClosesWithoutAFileOnlyIfSoChosen) {
    CaptureWindow& capture = opened(sample("nop-logout.pcap"));
    capture.document().writings().begin(QStringLiteral("/somewhere/slow.csv"));
    answer_question(QStringLiteral("Cancel"));
    EXPECT_FALSE(window->close());
    EXPECT_TRUE(window->isVisible());
    answer_question(QStringLiteral("Close without"));
    EXPECT_TRUE(window->close());
}

TEST_F(WindowTest, NotesThatAreSavedOnClosingAreWrittenBeforeItCloses) {
    CaptureWindow& capture = opened(sample("nop-logout.pcap"));
    capture.document().notes().set(5, QStringLiteral("kept"));
    const QString path = folder.filePath(QStringLiteral("kept.pcapng"));
    answer_question(QStringLiteral("Save"));
    QTimer::singleShot(200, qApp, [path] { answer_file_dialog(path); });
    action(QStringLiteral("Close"))->trigger();
    ASSERT_TRUE(wait_until([&] { return window->captures() == 0; }, 20'000));
    CaptureWindow& again = opened(path);
    EXPECT_EQ(again.document().notes().all().at(5).toStdString(), "kept");
}

TEST_F(WindowTest, MayBeClosedWhileReading) {
    for (int i = 0; i < 6; ++i) {
        EXPECT_TRUE(window->open({sample(with_losses)}));
        for (int k = 0; k < i * 3; ++k) QApplication::processEvents();
        action(QStringLiteral("Close"))->trigger();
        EXPECT_EQ(window->captures(), 0);
    }
}

TEST_F(WindowTest, TheLayoutIsRememberedAndCanBeHadAnew) {
    {
        CaptureWindow& capture = opened(sample("nop-logout.pcap"));
        capture.dock("findings")->hide();
        capture.save_layout();
    }
    CaptureWindow& other = opened(sample(with_losses));
    EXPECT_TRUE(other.dock("findings")->isHidden());
    other.reset_layout();
    EXPECT_FALSE(other.dock("findings")->isHidden());
}

// A language in which every text is marked.
class MarkingTranslator : public QTranslator {
  public:
    QString translate(const char*, const char* text, const char*, int) const override {
        return QStringLiteral("«%1»").arg(QString::fromUtf8(text));
    }
    bool isEmpty() const override { return false; }
};

TEST_F(WindowTest, WhatIsWrittenOnTheWindowCanBeTranslated) {
    MarkingTranslator translator;
    QApplication::installTranslator(&translator);
    window = std::make_unique<MainWindow>();
    window->show();
    CaptureWindow& capture = opened(sample(with_losses));
    for (const ViewKind& kind : view_kinds()) capture.show_view(kind.name);
    settle(capture);
    QStringList untranslated;
    const auto look = [&](const QString& text, const QObject* where) {
        const bool words = std::ranges::count_if(text, [](QChar c) { return c.isLetter(); }) > 3;
        const bool of_qt = QByteArray(where->metaObject()->className()).startsWith("QTabBar");
        if (words && !text.contains(QChar(0xab)) && !of_qt) {
            untranslated.append(
                QStringLiteral("%1: %2").arg(QString::fromUtf8(where->metaObject()->className()), text));
        }
    };
    for (const QAction* action : window->findChildren<QAction*>()) {
        if (!action->property("data").isValid() && action->menu() == nullptr) look(action->text(), action);
    }
    for (const QAbstractButton* button : window->findChildren<QAbstractButton*>())
        look(button->text(), button);
    for (const QDockWidget* dock : window->findChildren<QDockWidget*>()) look(dock->windowTitle(), dock);
    for (const QMenu* menu : window->findChildren<QMenu*>()) look(menu->title(), menu);
    for (const QWidget* widget : window->findChildren<QWidget*>()) look(widget->accessibleName(), widget);
    QApplication::removeTranslator(&translator);
    EXPECT_TRUE(untranslated.isEmpty()) << untranslated.join(QLatin1Char('\n')).toStdString();
}

TEST_F(WindowTest, EveryViewCanBeReadInTheDark) {
    QApplication::setPalette(theme_palette(true));
    CaptureWindow& capture = opened(sample(with_losses));
    for (const ViewKind& kind : view_kinds()) {
        View& shown = view<View>(capture, kind.name.data());
        QImage image(shown.size(), QImage::Format_RGB32);
        shown.render(&image);
        // Most of it is dark, and something stands out from it.
        int64_t sum = 0;
        int brightest = 0;
        for (int y = 0; y < image.height(); y += 3) {
            for (int x = 0; x < image.width(); x += 3) {
                const int light = qGray(image.pixel(x, y));
                sum += light;
                brightest = std::max(brightest, light);
            }
        }
        const int64_t points = int64_t{(image.height() + 2) / 3} * ((image.width() + 2) / 3);
        EXPECT_LT(sum / std::max<int64_t>(points, 1), 110) << kind.name;
        EXPECT_GT(brightest, 140) << kind.name;
    }
    QApplication::setPalette(theme_palette(false));
}

TEST_F(WindowTest, TimesCanBeReadInThreeWays) {
    CaptureWindow& capture = opened(sample(with_losses));
    action(QStringLiteral("UTC"))->trigger();
    EXPECT_EQ(capture.state().time_format(), TimeFormat::utc);
    action(QStringLiteral("Seconds since"))->trigger();
    EXPECT_EQ(capture.state().time_format(), TimeFormat::relative);
}

}  // namespace
}  // namespace sanscope
