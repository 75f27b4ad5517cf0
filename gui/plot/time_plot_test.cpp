// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plot/time_plot.h"

#include <QPicture>
#include <QWidget>
#include <gtest/gtest.h>

#include "gui/testing/pointer_events.h"
#include "gui/testing/wait_until.h"

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

using testing_gui::send_mouse;
using testing_gui::wait_until;

using test::ms;
constexpr int64_t start = 1'700'000'000'000'000'000;

class TimePlotTest : public testing::Test {
  protected:
    TimePlotTest() {
        state.set_whole({start, start + 1000 * ms});
        legend = &plot.add_legend();
        legend->set_entries({{QStringLiteral("one"), {}, line_icon(&Theme::cwnd), &on}});
        upper = &plot.add_pane({.label = QStringLiteral("bytes"), .unit = ValueUnit::bytes});
        lower = &plot.add_pane({.value_ticks = false, .height = 20});
        upper->set_values({0, 1000});
        upper->add([this](QPainter& painter, const PlotPane& pane) {
            ++drawn;
            painter.fillRect(pane.area(), Qt::red);
        });
        plot.resize(1000, 400);
        plot.show();
        plot.replot();
    }

    ViewState state;
    TimePlot plot{state, nullptr};
    LegendRow* legend;
    PlotPane* upper;
    PlotPane* lower;
    bool on = true;
    int drawn = 0;
};

// Painted by QCustomPlot itself.
class PlainlyPainted : public TimePlot {
  public:
    using TimePlot::TimePlot;

  protected:
    void paintEvent(QPaintEvent* event) override { QCustomPlot::paintEvent(event); }
};

TEST_F(TimePlotTest, WhatLiesOverTheDataIsPaintedInFull) {
    PlainlyPainted plain(state, nullptr);
    PlotPane& pane = plain.add_pane({.label = QStringLiteral("bytes"), .unit = ValueUnit::bytes});
    TimePlot painted(state, nullptr);
    PlotPane& same = painted.add_pane({.label = QStringLiteral("bytes"), .unit = ValueUnit::bytes});
    for (PlotPane* each : {&pane, &same}) each->set_values({0, 1000});
    const auto expect_same = [&](const char* what) {
        for (TimePlot* each : {static_cast<TimePlot*>(&plain), &painted}) {
            each->resize(700, 300);
            each->show();
            each->replot();
        }
        EXPECT_EQ(painted.grab().toImage(), plain.grab().toImage()) << what;
    };
    expect_same("nothing");
    const QImage bare = painted.grab().toImage();
    state.set_cursor(start + 333 * ms);
    expect_same("a cursor");
    EXPECT_NE(painted.grab().toImage(), bare);
    state.set_selected_range({start + 200 * ms, start + 500 * ms});
    expect_same("a range and a cursor");
    state.set_cursor(std::nullopt);
    expect_same("a range");
    state.set_selected_range({});
    expect_same("nothing again");
    EXPECT_EQ(painted.grab().toImage(), bare);
    for (TimePlot* each : {static_cast<TimePlot*>(&plain), &painted})
        each->set_message(QStringLiteral("Nothing."));
    expect_same("a message");
}

TEST_F(TimePlotTest, PanesStandExactlyAboveEachOther) {
    EXPECT_EQ(upper->area().left(), lower->area().left());
    EXPECT_EQ(upper->area().width(), lower->area().width());
    EXPECT_LT(upper->area().bottom(), lower->area().top());
    EXPECT_EQ(lower->area().height(), 20);
    EXPECT_GT(upper->area().height(), 200);
    EXPECT_EQ(plot.pane_at(upper->area().center()), upper);
    EXPECT_EQ(plot.pane_at({1, 1}), nullptr);
    const ValueScale scale = upper->scale();
    EXPECT_EQ(scale.y_of(0), upper->area().bottom());
    EXPECT_EQ(scale.y_of(1000), upper->area().top());
}

TEST_F(TimePlotTest, APaneThatIsNotShownLeavesItsRoomToTheOthers) {
    const int height = upper->area().height();
    const QPointF place = lower->area().center();
    plot.set_shown(*lower, false);
    plot.replot();
    EXPECT_GT(upper->area().height(), height);
    EXPECT_NE(plot.pane_at(place), lower);
    // The time axis is where the lowest pane is.
    EXPECT_TRUE(upper->key_axis().tickLabels());
    plot.set_shown(*lower, true);
    plot.replot();
    EXPECT_EQ(upper->area().height(), height);
    EXPECT_EQ(lower->area().height(), 20);
    EXPECT_EQ(plot.pane_at(place), lower);
    EXPECT_FALSE(upper->key_axis().tickLabels());
}

TEST_F(TimePlotTest, NoLabelSticksOutOfThePlot) {
    // The last tick stands at the right edge.
    const auto labels = lower->key_axis().ticker();
    QVector<double> ticks;
    QVector<QString> words;
    labels->generate({0, 1e9}, QLocale::c(), QLatin1Char('g'), 6, ticks, nullptr, &words);
    ASSERT_EQ(ticks.size(), words.size());
    ASSERT_EQ(ticks.back(), 1e9);
    EXPECT_EQ(words.back().toStdString(), "");
    EXPECT_FALSE(words[words.size() - 2].isEmpty());
}

TEST_F(TimePlotTest, WheelDragAndMarkMoveTheCommonRange) {
    const TimeViewport view = plot.time_viewport();
    const QPointF at = upper->area().center();
    const int64_t under = view.time_at(at.x());
    testing_gui::send_wheel(plot, at, 1);
    EXPECT_EQ(state.range().span_ns(), 800 * ms);
    EXPECT_NEAR(plot.time_viewport().x_of(under), at.x(), 0.5);

    state.set_range({start + 400 * ms, start + 500 * ms});
    testing_gui::drag(plot, at, at - QPointF(view.length / 10, 0), Qt::LeftButton);
    EXPECT_NEAR(static_cast<double>(state.range().begin_ns - start), 410e6, 2e5);
    state.go_back();
    EXPECT_EQ(state.range(), (TimeRange{start + 400 * ms, start + 500 * ms}));

    state.show_all();
    const double x = view.origin + view.length / 4;
    testing_gui::drag(plot, {x, at.y()}, {x + view.length / 4, at.y()}, Qt::RightButton);
    EXPECT_NEAR(static_cast<double>(state.range().begin_ns - start), 250e6, 3e6);
    EXPECT_NEAR(static_cast<double>(state.range().end_ns - start), 500e6, 3e6);
}

TEST_F(TimePlotTest, TellsClicksAndThePointersMoment) {
    int clicks = 0;
    QObject::connect(&plot, &TimePlot::clicked, [&] { ++clicks; });
    testing_gui::click(plot, upper->area().center());
    EXPECT_EQ(clicks, 1);
    EXPECT_EQ(state.range(), state.whole());
    const QPointF at = upper->area().center();
    send_mouse(plot, QEvent::MouseMove, at, Qt::NoButton);
    ASSERT_TRUE(state.cursor_ns());
    EXPECT_NEAR(plot.time_viewport().x_of(*state.cursor_ns()), at.x(), 0.5);
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(&plot, &leave);
    EXPECT_FALSE(state.cursor_ns());
}

TEST_F(TimePlotTest, ALegendsEntrySwitches) {
    int switched = 0;
    int clicks = 0;
    QObject::connect(&plot, &TimePlot::legend_switched, [&] { ++switched; });
    QObject::connect(&plot, &TimePlot::clicked, [&] { ++clicks; });
    QPointF place;
    for (int x = 0; x < 400 && place.isNull(); x += 4) {
        if (legend->entry_at(QPointF(x, 10)) != nullptr) place = QPointF(x, 10);
    }
    ASSERT_FALSE(place.isNull());
    testing_gui::click(plot, place);
    EXPECT_FALSE(on);
    EXPECT_EQ(switched, 1);
    EXPECT_EQ(clicks, 0);
}

TEST_F(TimePlotTest, TheCursorMovesWithoutDrawingTheDataAnew) {
    QCoreApplication::processEvents();
    plot.replot();
    const int before = drawn;
    for (int i = 0; i < 20; ++i) state.set_cursor(start + i * ms);
    EXPECT_EQ(drawn, before);
    state.set_range({start, start + 10 * ms});
    state.set_range({start, start + 20 * ms});
    EXPECT_TRUE(wait_until([&] { return drawn > before; }));
    EXPECT_EQ(drawn, before + 1);
}

TEST_F(TimePlotTest, WhereNobodySeesItItIsDrawnOnceItIsSeen) {
    QWidget window;
    window.resize(1000, 400);
    plot.setParent(&window);
    const auto leave_and_return = [&](auto leave, auto come_back) {
        plot.show();
        window.show();
        wait_until([&] { return false; }, 50);
        leave();
        const int before = drawn;
        state.set_range({start, start + 10 * ms});
        state.set_range({start, start + 20 * ms});
        wait_until([&] { return false; }, 50);
        EXPECT_EQ(drawn, before);
        come_back();
        EXPECT_TRUE(wait_until([&] { return drawn > before; }));
        wait_until([&] { return false; }, 50);
        EXPECT_EQ(drawn, before + 1);
    };
    leave_and_return([&] { plot.hide(); }, [&] { plot.show(); });
    // As docks behind tabs.
    leave_and_return([&] { plot.move(-5000, 0); }, [&] { plot.move(0, 0); });
    plot.setParent(nullptr);
}

TEST_F(TimePlotTest, IsDrawnIntoAFileInItsPresentSize) {
    QImage image(plot.size(), QImage::Format_ARGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    const QRect before = upper->area();
    plot.draw_into(painter, {0, 0});
    painter.end();
    EXPECT_EQ(upper->area(), before);
    EXPECT_EQ(image.pixelColor(before.center()), QColor(Qt::red));
    EXPECT_NE(image.pixelColor(2, 2), QColor(Qt::red));
}

}  // namespace
}  // namespace sanscope
