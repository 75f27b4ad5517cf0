// SPDX-License-Identifier: GPL-3.0-or-later
#include <QPainter>
#include <gtest/gtest.h>

#include "gui/testing/loaded_document.h"
#include "gui/testing/pointer_events.h"
#include "gui/views/overview/overview_view.h"

namespace sanscope {
namespace {

using testing_gui::wait_until;

TEST(OverviewPicture, ColumnsHoldAllThatTheBinsHold) {
    std::vector<OverviewBin> bins(1003);
    for (size_t i = 0; i < bins.size(); ++i) {
        bins[i].bytes_in = i;
        bins[i].bytes_out = 2 * i;
        bins[i].losses = i % 7 == 0 ? 1 : 0;
        bins[i].commands = 1;
        bins[i].slowest_ns = i == 500 ? 77 : no_time;
    }
    for (const size_t most : {1u, 2u, 100u, 1002u, 1003u, 5000u}) {
        const OverviewPicture picture = overview_picture(bins, 5000, 10, most);
        EXPECT_LE(picture.columns.size(), most);
        uint64_t in = 0;
        uint64_t out = 0;
        double fastest = 0;
        for (size_t i = 0; i < picture.columns.size(); ++i) {
            in += picture.columns[i].bytes_in;
            out += picture.columns[i].bytes_out;
            fastest = std::max(fastest, picture.bytes_per_s(i));
        }
        EXPECT_EQ(in, 1002u * 1003 / 2);
        EXPECT_EQ(out, 2 * in);
        EXPECT_EQ(picture.commands, 1003u);
        EXPECT_EQ(picture.losses, 144u);
        EXPECT_EQ(picture.slowest_ns, 77);
        EXPECT_EQ(picture.columns[picture.column_at(5000 + 500 * 10)].slowest_ns, 77);
        EXPECT_DOUBLE_EQ(picture.most_bytes_per_s, fastest);
        EXPECT_EQ(picture.column_at(4999), picture.columns.size());
        EXPECT_EQ(picture.column_at(picture.begin_of(picture.columns.size())), picture.columns.size());
    }
    EXPECT_TRUE(overview_picture({}, 0, 1, 100).empty());
}

TEST(OverviewWindow, IsTakenHoldOfWhereItIs) {
    const TimeViewport strip{{0, 1000'000}, 100, 1000};
    using Part = OverviewWindow::Part;
    const OverviewWindow wide = OverviewWindow::of({200'000, 400'000}, strip);
    EXPECT_EQ(wide.left, 300);
    EXPECT_EQ(wide.right, 500);
    EXPECT_EQ(wide.part_at(290), Part::outside);
    EXPECT_EQ(wide.part_at(298), Part::begin);
    EXPECT_EQ(wide.part_at(302), Part::begin);
    EXPECT_EQ(wide.part_at(400), Part::inside);
    EXPECT_EQ(wide.part_at(498), Part::end);
    EXPECT_EQ(wide.part_at(504), Part::end);
    EXPECT_EQ(wide.part_at(510), Part::outside);
    // Of a narrow one the middle can still be taken.
    const OverviewWindow narrow = OverviewWindow::of({200'000, 200'010}, strip);
    EXPECT_GE(narrow.right - narrow.left, 3);
    EXPECT_EQ(narrow.part_at((narrow.left + narrow.right) / 2), Part::inside);
    EXPECT_EQ(narrow.part_at(narrow.left - 3), Part::begin);
    EXPECT_EQ(narrow.part_at(narrow.right + 3), Part::end);
    // Where it covers all, a drag within draws a new one.
    const OverviewWindow all = OverviewWindow::of({0, 1000'000}, strip);
    EXPECT_TRUE(all.everything);
    EXPECT_EQ(all.part_at(600), Part::outside);
}

TEST(OverviewWindow, DragsAcrossTheOtherEdgeTurnItRound) {
    const TimeViewport strip{{0, 1000'000}, 100, 1000};
    using Part = OverviewWindow::Part;
    const TimeRange range{200'000, 400'000};
    EXPECT_EQ(dragged_range(Part::inside, range, strip, 350, 400), (TimeRange{250'000, 450'000}));
    EXPECT_EQ(dragged_range(Part::begin, range, strip, 300, 250), (TimeRange{150'000, 400'000}));
    EXPECT_EQ(dragged_range(Part::begin, range, strip, 300, 600), (TimeRange{400'000, 500'000}));
    EXPECT_EQ(dragged_range(Part::end, range, strip, 500, 200), (TimeRange{100'000, 200'000}));
    EXPECT_EQ(dragged_range(Part::outside, range, strip, 800, 600), (TimeRange{500'000, 700'000}));
    EXPECT_EQ(dragged_range(Part::outside, range, strip, 800, 5000), (TimeRange{700'000, 1000'000}));
}

// Of captures that begin in the middle, too, in which the target's bytes may come first.
TEST(OverviewBins, BytesGoToWhoGotThem) {
    for (const char* name : {"mid-connection.pcap.zst", "mid-connection-lookalikes.pcap.zst",
                             "loss-mixed-initiator.pcap.zst", "two-sessions.pcap.lz4"}) {
        const auto document = testing_gui::loaded_sample(name);
        const auto reading = document->data()->try_read();
        OverviewBin all;
        for (const OverviewBin& bin : reading->timeline().overview().bins()) all.add(bin);
        uint64_t out = 0;
        uint64_t in = 0;
        for (const ConnectionRow& row : reading->store().connections()) {
            out += row.bytes_out;
            in += row.bytes_in;
        }
        EXPECT_EQ(all.bytes_out, out) << name;
        EXPECT_EQ(all.bytes_in, in) << name;
        EXPECT_EQ(all.bytes_unknown, 0u) << name;
    }
}

class OverviewViewTest : public testing::Test {
  protected:
    void SetUp() override {
        document = testing_gui::loaded_sample("loss-mixed-initiator.pcap.zst");
        view = std::make_unique<OverviewView>(*document, nullptr);
        view->resize(1200, 88);
        view->grab();
        ASSERT_TRUE(wait_until([&] { return view->settled() && !view->picture().empty(); }));
    }
    ViewState& state() { return document->state(); }
    void mouse(QEvent::Type type, QPointF at) { testing_gui::send_mouse(*view, type, at, Qt::LeftButton); }
    void drag(double from, double to) { testing_gui::drag(*view, {from, 40}, {to, 40}); }
    int64_t near() const { return static_cast<int64_t>(3 * view->strip().ns_per_pixel()); }

    std::unique_ptr<Document> document;
    std::unique_ptr<OverviewView> view;
};

TEST_F(OverviewViewTest, HoldsTheWholeCapture) {
    const auto reading = document->data()->try_read();
    uint64_t out = 0;
    uint64_t in = 0;
    uint64_t packets = 0;
    for (const OverviewBin& column : view->picture().columns) {
        out += column.bytes_out;
        in += column.bytes_in;
        packets += column.packets;
    }
    uint64_t payload = 0;
    for (const SegmentRow& segment : reading->store().segments()) payload += segment.payload_length;
    EXPECT_EQ(out + in, payload);
    EXPECT_EQ(packets, reading->index().packets());
    EXPECT_EQ(view->strip().range, state().whole());
}

TEST_F(OverviewViewTest, ADragDrawsMovesAndResizesTheRange) {
    const TimeViewport strip = view->strip();
    drag(400, 600);
    EXPECT_LE(std::abs(state().range().begin_ns - strip.time_at(400)), near());
    EXPECT_LE(std::abs(state().range().end_ns - strip.time_at(600)), near());
    const int64_t span = state().range().span_ns();
    drag(500, 700);
    EXPECT_EQ(state().range().span_ns(), span);
    EXPECT_LE(std::abs(state().range().begin_ns - strip.time_at(600)), near());
    drag(800, 900);
    EXPECT_LE(std::abs(state().range().end_ns - strip.time_at(900)), near());
    EXPECT_LE(std::abs(state().range().begin_ns - strip.time_at(600)), near());
    // Each was one step.
    state().go_back();
    state().go_back();
    EXPECT_LE(std::abs(state().range().begin_ns - strip.time_at(400)), near());
    state().go_back();
    EXPECT_EQ(state().range(), state().first_view());
}

TEST_F(OverviewViewTest, AClickCentresAndADoubleClickShowsAll) {
    const TimeViewport strip = view->strip();
    drag(400, 500);
    const int64_t span = state().range().span_ns();
    mouse(QEvent::MouseButtonPress, {800, 40});
    mouse(QEvent::MouseButtonRelease, {800, 40});
    EXPECT_EQ(state().range().span_ns(), span);
    EXPECT_LE(std::abs(state().range().begin_ns + span / 2 - strip.time_at(800)), near());
    mouse(QEvent::MouseButtonDblClick, {600, 40});
    EXPECT_EQ(state().range(), state().whole());
}

TEST_F(OverviewViewTest, TheWheelZoomsTheRange) {
    state().show_all();
    const int64_t under = view->strip().time_at(700);
    testing_gui::send_wheel(*view, {700, 40}, 2);
    EXPECT_LT(state().range().span_ns(), state().whole().span_ns() * 7 / 10);
    EXPECT_TRUE(state().range().contains(under));
    // Clicks that follow soon are part of one step.
    testing_gui::send_wheel(*view, {700, 40}, 2);
    state().go_back();
    EXPECT_EQ(state().range(), state().whole());
}

TEST_F(OverviewViewTest, TheWheelBeginsAStepOfItsOwn) {
    drag(400, 800);
    const TimeRange dragged = state().range();
    testing_gui::send_wheel(*view, {600, 40}, 1);
    EXPECT_NE(state().range(), dragged);
    state().go_back();
    EXPECT_EQ(state().range(), dragged);
}

TEST_F(OverviewViewTest, MarksAreDrawnWhereTheirMomentIs) {
    const int x = 900;
    const auto color_at_top = [&] { return view->grab().toImage().pixelColor(x + 2, 4); };
    const QColor before = color_at_top();
    view->set_marks({{view->strip().time_at(x), QStringLiteral("here")}});
    EXPECT_NE(color_at_top(), before);
    view->set_marks({});
    EXPECT_EQ(color_at_top(), before);
}

TEST(OverviewViewOf, AnEmptyCaptureSaysSo) {
    const auto document = testing_gui::opened(testing_gui::sample("cut-off.pcap"));
    ASSERT_TRUE(document);
    OverviewView view(*document, nullptr);
    view.resize(900, 88);
    EXPECT_FALSE(view.grab().isNull());  // before anything was read
    ASSERT_TRUE(wait_until([&] { return !document->loading() && view.settled(); }));
    EXPECT_FALSE(view.grab().isNull());
}

}  // namespace
}  // namespace sanscope
