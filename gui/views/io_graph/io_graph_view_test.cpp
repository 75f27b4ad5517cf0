// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/io_graph/io_graph_view.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QLineEdit>
#include <QMenu>
#include <QSettings>
#include <QTemporaryDir>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/testing/pointer_events.h"
#include "gui/testing/shown_view.h"
#include "gui/views/io_graph/graph_painting.h"
#include "gui/views/io_graph/graph_words.h"

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

using testing::HasSubstr;
using testing_gui::wait_until;

constexpr const char* lossy = "loss-mixed-initiator.pcap.zst";
using test::ms;

class IoGraphViewTest : public testing_gui::ShownView<IoGraphView> {
  protected:
    IoGraphViewTest() { QSettings().clear(); }
    ~IoGraphViewTest() override {
        view.reset();
        QSettings().clear();
    }
    void show_lines(std::vector<GraphLine> lines, int64_t interval_ns = 0) {
        view->set_setup({std::move(lines), interval_ns});
        settle();
    }
    // As the user does it.
    void choose(QComboBox& box, const QVariant& data) {
        const int at = box.findData(data);
        ASSERT_GE(at, 0);
        box.setCurrentIndex(at);
        Q_EMIT box.activated(at);
    }
    QImage drawn() {
        QImage image(view->size(), QImage::Format_RGB32);
        QPainter painter(&image);
        view->draw(painter);
        return image;
    }
    static size_t pixels_like(const QImage& image, const QRect& area, const QColor& color) {
        size_t count = 0;
        for (int y = area.top(); y <= area.bottom(); ++y) {
            for (int x = area.left(); x <= area.right(); ++x)
                count += image.pixelColor(x, y) == color ? 1u : 0u;
        }
        return count;
    }
    QPoint place_of(const GraphSeries& series, size_t interval, size_t pane = 0) const {
        const PlotPane& its = view->pane(pane);
        return {static_cast<int>(middle_of(its.viewport(), view->picture().intervals, interval)),
                static_cast<int>(its.scale().y_of(series.points[interval].value))};
    }
    size_t busiest(const GraphSeries& series) const {
        return static_cast<size_t>(std::ranges::max_element(series.points, {}, &GraphSeries::Point::rows) -
                                   series.points.begin());
    }
};

TEST_F(IoGraphViewTest, TheFirstLinesShowSomethingOfTwoUnits) {
    open(lossy);
    EXPECT_EQ(view->setup(), (GraphSetup{default_graph_lines(), 0}));
    ASSERT_EQ(view->picture().series.size(), 2u);
    EXPECT_EQ(view->message().toStdString(), "");
    EXPECT_EQ(view->units()[0], GraphUnit::bytes_per_second);
    EXPECT_EQ(view->units()[1], GraphUnit::number_per_second);
    const QImage image = drawn();
    const Theme& theme = Theme::of(view->palette());
    for (size_t i = 0; i < 2; ++i) {
        const QRect area = view->pane(i).area().translated(view->plot().pos());
        ASSERT_GT(area.height(), 40);
        const auto color = series_color(theme, view->picture(), view->picture().series[i]);
        EXPECT_GT(pixels_like(image, area, color), 0u) << i;
    }
}

TEST_F(IoGraphViewTest, OfOneUnitThereIsOnePane) {
    open(lossy);
    drawn();
    const int both = view->pane(0).area().height();
    show_lines({default_graph_lines()[1]});
    drawn();
    EXPECT_GT(view->pane(0).area().height(), both * 3 / 2);
    EXPECT_EQ(view->plot().pane_at(QPointF(view->pane(0).area().center())), &view->pane(0));
    show_lines(default_graph_lines());
    drawn();
    EXPECT_NEAR(view->pane(0).area().height(), both, 4);
    EXPECT_GT(view->pane(1).area().height(), 40);
}

TEST_F(IoGraphViewTest, ALineIsEditedWhereItStands) {
    open(lossy);
    const auto& row = view->editor().row_at(1);
    choose(*row.function, static_cast<int>(GraphFunction::p99));
    settle();
    // It needs a column, and says so.
    EXPECT_THAT(view->note().toStdString(), HasSubstr("Line 2"));
    EXPECT_EQ(view->picture().series.size(), 1u);
    choose(*row.column, QStringLiteral("turnaround_ns"));
    settle();
    EXPECT_EQ(view->note().toStdString(), "");
    ASSERT_EQ(view->picture().series.size(), 2u);
    EXPECT_EQ(view->units()[1], GraphUnit::duration);
    row.filter->setText(QStringLiteral("bytes >= banana"));
    Q_EMIT row.filter->editingFinished();
    settle();
    EXPECT_THAT(view->note().toStdString(), HasSubstr("Line 2: Its filter"));
    row.filter->setText(QStringLiteral("bytes >= 16KiB"));
    Q_EMIT row.filter->editingFinished();
    settle();
    EXPECT_EQ(view->note().toStdString(), "");
    // Another table has other columns.
    choose(*row.table, QStringLiteral("packets"));
    settle();
    EXPECT_EQ(view->editor().lines()[1].time, "time_ns");
    EXPECT_EQ(view->editor().lines()[1].column, "");
    EXPECT_EQ(row.column->findData(QStringLiteral("turnaround_ns")), -1);
    row.on->click();
    settle();
    EXPECT_FALSE(view->editor().lines()[1].on);
}

TEST_F(IoGraphViewTest, AWheelOverTheListChangesNoLine) {
    open(lossy);
    view->plot().setFocus();
    const auto before = view->editor().lines();
    QComboBox& table = *view->editor().row_at(1).table;
    testing_gui::send_wheel(table, table.rect().center(), -1);
    settle();
    EXPECT_EQ(view->editor().lines(), before);
}

TEST_F(IoGraphViewTest, LinesAreAddedAndRemoved) {
    open(lossy);
    view->editor().add_line();
    ASSERT_EQ(view->editor().lines().size(), 5u);
    view->editor().row_at(0).remove->click();
    ASSERT_TRUE(wait_until([&] { return view->editor().lines().size() == 4; }));
    EXPECT_EQ(view->editor().rowCount(), 4);
    EXPECT_EQ(view->editor().lines()[0].table, "commands");
    for (size_t i = 0; i < 2 * most_graph_lines; ++i) view->editor().add_line();
    EXPECT_EQ(view->editor().lines().size(), most_graph_lines);
    show_lines({});
    EXPECT_FALSE(view->message().isEmpty());
}

TEST_F(IoGraphViewTest, WhatIsChosenIsKeptForTheNextWindow) {
    open(lossy);
    view->editor().row_at(2).on->click();
    choose(view->interval_box(), QVariant::fromValue<qlonglong>(100 * ms));
    const GraphSetup chosen = view->setup();
    EXPECT_TRUE(chosen.lines[2].on);
    EXPECT_EQ(chosen.interval_ns, 100 * ms);
    const IoGraphView next(*document, nullptr);
    EXPECT_EQ(next.setup(), chosen);
    QSettings().setValue(QStringLiteral("io_graph/lines"), QByteArray("{\"lines\":[{}]}"));
    const IoGraphView after_damage(*document, nullptr);
    EXPECT_EQ(after_damage.setup(), (GraphSetup{default_graph_lines(), 0}));
}

TEST_F(IoGraphViewTest, IntervalsFollowTheRangeOrStayAsChosen) {
    open(lossy);
    document->state().show_all();
    settle();
    const int64_t far_ns = view->picture().intervals.length_ns;
    const TimeRange whole = document->state().whole();
    document->state().set_range({whole.begin_ns, whole.begin_ns + 50 * ms});
    settle();
    EXPECT_LT(view->picture().intervals.length_ns, far_ns);
    choose(view->interval_box(), QVariant::fromValue<qlonglong>(10 * ms));
    settle();
    EXPECT_EQ(view->picture().intervals.length_ns, 10 * ms);
    document->state().show_all();
    settle();
    EXPECT_EQ(view->picture().intervals.length_ns, 10 * ms);
    EXPECT_EQ(view->note().toStdString(), "");
}

TEST_F(IoGraphViewTest, HoverTellsTheLineItsValueAndTheRowsBehindIt) {
    open(lossy);
    GraphLine line;
    line.function = GraphFunction::count;
    show_lines({line}, 100 * ms);
    ASSERT_EQ(view->picture().series.size(), 1u);
    const GraphSeries& series = view->picture().series[0];
    const size_t at = busiest(series);
    const QString text = view->text_at(place_of(series, at));
    EXPECT_THAT(text.toStdString(), HasSubstr("commands"));
    EXPECT_THAT(text.toStdString(), HasSubstr("of " + std::to_string(series.points[at].rows) + " rows"));
    EXPECT_THAT(text.toStdString(), HasSubstr("100 ms"));
}

TEST_F(IoGraphViewTest, APercentileOfTooFewRowsIsHollowAndSaysSo) {
    open(lossy);
    GraphLine line;
    line.function = GraphFunction::p99;
    line.column = "turnaround_ns";
    show_lines({line}, 100 * ms);
    ASSERT_EQ(view->picture().series.size(), 1u);
    const GraphSeries& series = view->picture().series[0];
    size_t few = 0;
    while (few < series.points.size() && (series.points[few].rows == 0 || series.points[few].firm)) ++few;
    ASSERT_LT(few, series.points.size());
    const QPoint at = place_of(series, few);
    EXPECT_THAT(view->text_at(at).toStdString(), HasSubstr("p99 needs 100"));
    const QColor middle = drawn().pixelColor(at + view->plot().pos());
    EXPECT_EQ(middle, view->pane(0).theme().background);
}

TEST_F(IoGraphViewTest, ADoubleClickFramesTheInterval) {
    open(lossy);
    GraphLine line;
    line.function = GraphFunction::count;
    show_lines({line}, 100 * ms);
    const GraphSeries& series = view->picture().series[0];
    const size_t at = busiest(series);
    const TimeRange interval = view->picture().intervals.interval(at);
    testing_gui::send_mouse(view->plot(), QEvent::MouseButtonDblClick, place_of(series, at), Qt::LeftButton);
    EXPECT_EQ(document->state().range(), interval);
}

TEST_F(IoGraphViewTest, APresetPutsItsLines) {
    open("two-sessions.pcap.lz4");
    QMenu* menu = nullptr;
    for (QToolButton* const button : view->findChildren<QToolButton*>()) {
        if (button->menu() != nullptr) menu = button->menu();
    }
    ASSERT_NE(menu, nullptr);
    const auto presets = graph_presets();
    ASSERT_EQ(menu->actions().size(), static_cast<qsizetype>(presets.size()));
    menu->actions()[1]->trigger();
    settle();
    EXPECT_EQ(view->editor().lines(), presets[1].lines);
    std::vector<uint64_t> sessions;
    for (const GraphSeries& series : view->picture().series) sessions.push_back(series.key);
    EXPECT_THAT(sessions, testing::IsSupersetOf({uint64_t{1}, uint64_t{2}}));
}

TEST_F(IoGraphViewTest, OfARecordingTheRowsThatCameByNowAreCounted) {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("growing.pcap"));
    ASSERT_TRUE(QFile::copy(testing_gui::sample("nop-logout.pcap"), path));
    const auto bytes = static_cast<uint64_t>(QFileInfo(path).size());
    const auto growth = std::make_shared<FileGrowth>();
    growth->grown_to(bytes / 2);
    QString error;
    document = Document::follow(path, growth, error);
    ASSERT_TRUE(document) << error.toStdString();
    view = std::make_unique<IoGraphView>(*document, nullptr);
    GraphLine line;
    line.table = "packets";
    line.time = "time_ns";
    line.function = GraphFunction::count;
    view->set_setup({{line}, 0});
    view->resize(1200, 600);
    view->show();
    const auto counted = [&] {
        double sum = 0;
        for (const GraphSeries& series : view->picture().series) {
            for (const GraphSeries::Point& point : series.points) sum += point.value;
        }
        return sum;
    };
    ASSERT_TRUE(wait_until([&] { return counted() > 0; }));
    const double half = counted();
    growth->grown_to(bytes);
    growth->end();
    ASSERT_TRUE(wait_until([&] { return document->has_loaded(); }));
    document->state().show_all();
    settle();
    const auto packets = static_cast<double>(document->data()->read().index().packets());
    EXPECT_TRUE(wait_until([&] { return counted() == packets; })) << counted();
    EXPECT_LT(half, packets);
}

TEST_F(IoGraphViewTest, WhatIsInSightIsWrittenAsCsv) {
    open(lossy);
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("graph.csv"));
    const auto written = view->csv_writing(path)();
    ASSERT_TRUE(written) << written.error().message;
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QList<QByteArray> lines = file.readAll().trimmed().split('\n');
    EXPECT_TRUE(lines[0].startsWith("begin_s,"));
    EXPECT_EQ(lines[0].count(','), 2);
    EXPECT_GT(lines.size(), 20);
}

}  // namespace
}  // namespace sanscope
