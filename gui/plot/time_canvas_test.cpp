// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plot/time_canvas.h"

#include <QApplication>
#include <QKeyEvent>
#include <gtest/gtest.h>

#include "gui/testing/pointer_events.h"

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

using testing_gui::drag;
using testing_gui::send_mouse;
using testing_gui::send_wheel;

using test::ms;
constexpr int64_t start = 1'700'000'000'000'000'000;

class Canvas : public TimeCanvas {
  public:
    explicit Canvas(ViewState& state) : TimeCanvas(state, Direction::rightwards, nullptr) {
        set_margins(100, 0);
        resize(1100, 200);
    }
    int clicks = 0;

  protected:
    void on_click(QPoint, Qt::KeyboardModifiers) override { ++clicks; }
};

class TimeCanvasTest : public testing::Test {
  protected:
    TimeCanvasTest() { state.set_whole({start, start + 1000 * ms}); }

    ViewState state;
    Canvas canvas{state};
};

TEST_F(TimeCanvasTest, TheWheelZoomsAboutThePointerAsOneMovement) {
    const int64_t under = canvas.viewport().time_at(600);
    send_wheel(canvas, {600, 50}, 1);
    send_wheel(canvas, {600, 50}, 2);
    EXPECT_LT(state.range().span_ns(), 600 * ms);
    EXPECT_NEAR(canvas.viewport().x_of(under), 600, 0.5);
    state.go_back();
    EXPECT_EQ(state.range(), state.whole());
}

TEST_F(TimeCanvasTest, DraggingPansByWhatThePointerMoves) {
    state.set_range({start + 400 * ms, start + 500 * ms});
    drag(canvas, {600, 50}, {500, 50}, Qt::LeftButton);
    EXPECT_EQ(state.range(), (TimeRange{start + 410 * ms, start + 510 * ms}));
    EXPECT_EQ(canvas.clicks, 0);
    state.go_back();
    EXPECT_EQ(state.range(), (TimeRange{start + 400 * ms, start + 500 * ms}));
}

TEST_F(TimeCanvasTest, ARangeDrawnWithTheRightButtonIsZoomedInto) {
    drag(canvas, {300, 50}, {500, 50}, Qt::RightButton);
    EXPECT_EQ(state.range(), (TimeRange{start + 200 * ms, start + 400 * ms}));
    EXPECT_TRUE(state.selected_range().empty());
}

TEST_F(TimeCanvasTest, ARangeDrawnWithShiftIsSelectedAndStaysSo) {
    drag(canvas, {500, 50}, {300, 50}, Qt::LeftButton, Qt::ShiftModifier);
    EXPECT_EQ(state.range(), state.whole());
    const TimeRange drawn{start + 200 * ms, start + 400 * ms};
    EXPECT_EQ(state.selected_range(), drawn);
    drag(canvas, {300, 50}, {500, 50}, Qt::LeftButton);
    state.set_range({start, start + 10 * ms});
    EXPECT_EQ(state.selected_range(), drawn);
}

TEST_F(TimeCanvasTest, EscapeGivesARangeThatIsDrawnUp) {
    send_mouse(canvas, QEvent::MouseButtonPress, {300, 50}, Qt::RightButton);
    send_mouse(canvas, QEvent::MouseMove, {400, 50}, Qt::RightButton);
    EXPECT_EQ(canvas.cursor().shape(), Qt::CrossCursor);
    QKeyEvent escape(QEvent::KeyPress, Qt::Key_Escape, Qt::NoModifier);
    QApplication::sendEvent(&canvas, &escape);
    EXPECT_EQ(canvas.cursor().shape(), Qt::ArrowCursor);
    send_mouse(canvas, QEvent::MouseButtonRelease, {400, 50}, Qt::RightButton);
    EXPECT_EQ(state.range(), state.whole());
}

TEST_F(TimeCanvasTest, AClickIsNoDrag) {
    send_mouse(canvas, QEvent::MouseButtonPress, {300, 50}, Qt::LeftButton);
    send_mouse(canvas, QEvent::MouseButtonRelease, {301, 50}, Qt::LeftButton);
    EXPECT_EQ(canvas.clicks, 1);
    EXPECT_EQ(state.range(), state.whole());
}

TEST_F(TimeCanvasTest, ThePointerTellsItsMoment) {
    send_mouse(canvas, QEvent::MouseMove, {600, 50}, Qt::NoButton);
    EXPECT_EQ(state.cursor_ns(), start + 500 * ms);
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(&canvas, &leave);
    EXPECT_FALSE(state.cursor_ns());
}

}  // namespace
}  // namespace sanscope
