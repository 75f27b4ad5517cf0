// SPDX-License-Identifier: GPL-3.0-or-later
#include <QPicture>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory_resource>
#include <span>
#include <vector>

#include "gui/senders/kernel_states.h"
#include "gui/testing/pointer_events.h"
#include "gui/testing/shown_view.h"
#include "gui/views/windows/windows_view.h"

#include "analyzer/base/moments.h"
#include "analyzer/store/window_aggregate.h"
#include "analyzer/store/word_pool.h"

namespace sanscope {
namespace {

using testing_gui::loaded_sample;

constexpr const char* lossy = "loss-mixed-initiator.pcap.zst";

TEST(WindowsPicture, LossesStandWhenTheyWereCapturedAndEstimatesAreNamed) {
    for (const bool at_initiator : {true, false}) {
        const auto document =
            loaded_sample(at_initiator ? "loss-mixed-initiator.pcap.zst" : "loss-mixed-target.pcap.zst");
        const auto reading = document->data()->read();
        const SenderId target = sender_of(reading, 1, true);
        EXPECT_EQ(moments_are_estimated(reading, target), at_initiator);
        EXPECT_EQ(moments_are_estimated(reading, sender_of(reading, 1, false)), !at_initiator);
        const TimeRange whole{reading.timeline().first_ns(), reading.timeline().last_ns() + 1};
        const SenderTrack& track = *track_of(reading, target);
        const auto marks =
            prepare_losses(reading, track, PreparedRange::around({whole, 0, 1'000'000}), nullptr);
        ASSERT_FALSE(marks.empty());
        for (const LossMark& mark : marks)
            EXPECT_EQ(mark.time_ns, reading.timeline().time_of_loss(mark.row - 1));
    }
}

TimeRange whole_of(const CaptureData::Reading& reading) {
    return {reading.timeline().first_ns(), reading.timeline().last_ns() + 1};
}

// The rows of a sender as they stand in the store.
std::vector<WindowRow> rows_of(const CaptureData::Reading& reading, SenderId sender) {
    std::vector<WindowRow> rows;
    for (const WindowRow& row : reading.store().windows()) {
        if (row.connection == sender.connection && row.sender == sender.side) rows.push_back(row);
    }
    std::ranges::stable_sort(rows, {}, &WindowRow::time_ns);
    return rows;
}

double known(uint32_t value) {
    return value == unknown<uint32_t> ? no_value : static_cast<double>(value);
}

bool same(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

void expect_columns(const StepSeries& series, const std::vector<WindowRow>& rows, uint32_t WindowRow::*figure,
                    const PreparedRange& prepared) {
    size_t at = 0;
    for (const StepPoint& point : series) {
        if (point.time_ns < prepared.range.begin_ns) continue;
        while (at < rows.size() && rows[at].time_ns < point.time_ns) ++at;
        Extent expected;
        double last = no_value;
        size_t i = at;
        for (; i < rows.size() && rows[i].time_ns < point.time_ns + prepared.ns_per_column; ++i) {
            last = known(rows[i].*figure);
            expected.add(last);
        }
        ASSERT_GT(i, at);
        ASSERT_TRUE(same(point.last, last));
        ASSERT_EQ(expected.any, !std::isnan(point.max));
        if (!expected.any) continue;
        ASSERT_EQ(point.min, expected.min);
        ASSERT_EQ(point.max, expected.max);
    }
}

TEST(WindowsPicture, FarItIsLeastAndGreatestOfEachColumn) {
    const auto document = loaded_sample(lossy);
    const auto reading = document->data()->read();
    WindowIndexes indexes;
    const SenderId sender = sender_of(reading, 1, true);
    const auto rows = rows_of(reading, sender);
    ASSERT_GT(rows.size(), 2000u);
    for (const double pixels : {40.0, 150.0, 333.0}) {
        const auto prepared = PreparedRange::around({whole_of(reading), 0, pixels});
        const WindowsPicture picture = prepare_windows(reading, {sender}, prepared, nullptr, indexes);
        ASSERT_EQ(picture.senders.size(), 1u);
        const SenderPicture& one = picture.senders.front();
        ASSERT_LT(one.curves.cwnd.size(), prepared.columns());
        expect_columns(one.curves.cwnd, rows, &WindowRow::cwnd, prepared);
        expect_columns(one.curves.cwnd_low, rows, &WindowRow::cwnd_low, prepared);
        expect_columns(one.curves.cwnd_high, rows, &WindowRow::cwnd_high, prepared);
        expect_columns(one.curves.ssthresh, rows, &WindowRow::ssthresh, prepared);
        expect_columns(one.curves.in_flight, rows, &WindowRow::in_flight, prepared);
        expect_columns(one.curves.advertised_window, rows, &WindowRow::advertised_window, prepared);
    }
}

TEST(WindowsPicture, NearItIsEveryStep) {
    const auto document = loaded_sample(lossy);
    const auto reading = document->data()->read();
    WindowIndexes indexes;
    const SenderId sender = sender_of(reading, 1, true);
    const auto rows = rows_of(reading, sender);
    const TimeRange range{rows[800].time_ns, rows[1000].time_ns};
    const auto prepared = PreparedRange::around({range, 0, 1000});
    const WindowsPicture picture = prepare_windows(reading, {sender}, prepared, nullptr, indexes);
    const SenderPicture& one = picture.senders.front();
    for (size_t i = 800; i < 1000; ++i) {
        // Of rows of one moment the last counts.
        if (rows[i + 1].time_ns == rows[i].time_ns) continue;
        ASSERT_TRUE(same(value_at(one.curves.cwnd, rows[i].time_ns), known(rows[i].cwnd))) << i;
        ASSERT_TRUE(same(value_at(one.curves.in_flight, rows[i].time_ns), known(rows[i].in_flight))) << i;
        ASSERT_TRUE(same(value_at(one.curves.ssthresh, rows[i].time_ns), known(rows[i].ssthresh))) << i;
        const auto* limit = one.limit.span_at(rows[i].time_ns);
        ASSERT_NE(limit, nullptr);
        ASSERT_EQ(limit->state, static_cast<uint8_t>(rows[i].limit));
    }
    for (const TransitionMark& mark : one.transitions) {
        const auto* span = one.ca.span_at(mark.time_ns);
        if (span == nullptr || span->range.begin_ns != mark.time_ns) continue;
        EXPECT_STRNE(mark.cause, "");
    }
}

std::vector<uint32_t> all_of(const SenderTrack::Rows& rows) {
    return {rows.begin(), rows.end()};
}

// What is known of a sender, but for what its kernel told, of which it has these rows.
class TrackWith {
  public:
    TrackWith(const SenderTrack& like, std::span<const uint32_t> kernel_windows,
              std::span<const uint32_t> kernel_ca_transitions) {
        for (const uint32_t row : like.windows) track.windows.push_back(row);
        track.cwnd = like.cwnd;
        track.in_flight = like.in_flight;
        track.advertised_window = like.advertised_window;
        track.kernel_cwnd = like.kernel_cwnd;
        for (const uint32_t row : kernel_windows) track.kernel_windows.push_back(row);
        for (const uint32_t row : kernel_ca_transitions) track.kernel_ca_transitions.push_back(row);
    }

  private:
    WordPool words_;

  public:
    SenderTrack track{words_, std::pmr::get_default_resource()};
};

// Of a record whose transitions began late, or were lost.
TEST(KernelStates, BeforeTheFirstTransitionAreThoseOfTheLatestWindows) {
    const auto document = loaded_sample("kernel-truth-target.pcapng.zst");
    const auto reading = document->data()->read();
    const SenderId target = sender_of(reading, 1, true);
    const SenderTrack& all = reading.timeline().track(1)->sender(target.side);
    ASSERT_FALSE(all.kernel_ca_transitions.empty());
    const uint32_t last[] = {all.kernel_ca_transitions.back()};
    const TrackWith with_last(all, all_of(all.kernel_windows), last);
    const SenderTrack& track = with_last.track;
    const auto& rows = reading.store().kernel_windows();
    const int64_t until_ns = reading.store().kernel_ca_transitions()[track.kernel_ca_transitions[0]].time_ns;
    const auto first_of_other_state = std::ranges::find_if(track.kernel_windows, [&](uint32_t i) {
        return rows[i].ca_state != rows[track.kernel_windows[0]].ca_state;
    });
    ASSERT_NE(first_of_other_state, track.kernel_windows.end());
    const KernelWindowRow& row = rows[*first_of_other_state];
    ASSERT_TRUE(row.ca_state_known);
    ASSERT_LT(row.time_ns, until_ns);
    const auto near = PreparedRange::around({{row.time_ns - 1000, row.time_ns + 1000}, 0, 2000});
    const StateBand band = kernel_ca_band(reading, track, near);
    const StateBand::Span* const state = band.span_at(row.time_ns);
    ASSERT_NE(state, nullptr);
    EXPECT_EQ(state->state, static_cast<uint8_t>(row.ca_state));
}

// As of one that was stopped before the capture was.
TEST(KernelStates, EndWithTheRecordNotWithTheConnection) {
    const auto document = loaded_sample("kernel-truth-target.pcapng.zst");
    const auto reading = document->data()->read();
    const SenderId target = sender_of(reading, 1, true);
    const SenderTrack& all = *track_of(reading, target);
    const auto& windows = reading.store().kernel_windows();
    const auto& transitions = reading.store().kernel_ca_transitions();
    std::vector<uint32_t> first_windows = all_of(all.kernel_windows);
    first_windows.resize(first_windows.size() / 2);
    const int64_t last_ns = windows[first_windows.back()].time_ns;
    std::vector<uint32_t> first_transitions = all_of(all.kernel_ca_transitions);
    std::erase_if(first_transitions, [&](uint32_t row) { return transitions[row].time_ns > last_ns; });
    const TrackWith with_first(all, first_windows, first_transitions);
    const SenderTrack& track = with_first.track;
    EXPECT_EQ(end_of_kernel_record(reading.store(), track), last_ns + 1);
    for (const TimeRange& range : {whole_of(reading), TimeRange{last_ns - 1'000'000, last_ns + 1'000'000}}) {
        const auto prepared = PreparedRange::around({range, 0, 2000});
        const StateBand band = kernel_ca_band(reading, track, prepared);
        ASSERT_FALSE(band.spans.empty());
        EXPECT_EQ(band.spans.back().range.end_ns, last_ns + 1);
        EXPECT_NE(band.span_at(last_ns), nullptr);
        EXPECT_EQ(band.span_at(last_ns + 1), nullptr);
        const SenderCurves curves = prepare_sender_curves(reading, target, track, prepared);
        EXPECT_GT(curves.until_ns, last_ns + 1);
        const auto at_end = kernel_cwnd_text(curves, last_ns);
        ASSERT_TRUE(at_end);
        EXPECT_FALSE(at_end->contains(QStringLiteral("record ends")));
        EXPECT_EQ(kernel_cwnd_text(curves, last_ns + 3'000'001).value_or(QString()).toStdString(),
                  "its record ends 3.00 ms before");
    }
    const auto behind = PreparedRange::around({{last_ns + 100'000'000, last_ns + 101'000'000}, 0, 2000});
    EXPECT_TRUE(kernel_ca_band(reading, track, behind).spans.empty());
    EXPECT_TRUE(has_kernel_ca(reading.store(), track));
    const TrackWith with_none(all, {}, {});
    EXPECT_EQ(end_of_kernel_record(reading.store(), with_none.track), no_time);
    EXPECT_FALSE(has_kernel_ca(reading.store(), with_none.track));
}

TEST(WindowsPicture, TheKernelsWordIsEachOfItsSteps) {
    const auto document = loaded_sample("kernel-truth-target.pcapng.zst");
    const auto reading = document->data()->read();
    WindowIndexes indexes;
    const SenderId target = sender_of(reading, 1, true);
    const auto& rows = reading.store().kernel_windows();
    ASSERT_GT(rows.size(), 1000u);
    const TimeRange range{rows[500].time_ns, rows[700].time_ns};
    const auto near = PreparedRange::around({range, 0, 2000});
    const SenderPicture one = prepare_windows(reading, {target}, near, nullptr, indexes).senders.front();
    for (size_t i = 500; i < 700; ++i) {
        if (rows[i + 1].time_ns == rows[i].time_ns) continue;
        ASSERT_EQ(value_at(one.curves.kernel_cwnd, rows[i].time_ns), known(rows[i].cwnd)) << i;
        const StateBand::Span* const state = one.kernel_ca.span_at(rows[i].time_ns);
        ASSERT_NE(state, nullptr) << i;
        ASSERT_EQ(state->state, static_cast<uint8_t>(rows[i].ca_state)) << i;
    }
    // A state may come and go between two of its windows.
    const auto wide = PreparedRange::around({whole_of(reading), 0, 2000});
    const SenderPicture all = prepare_windows(reading, {target}, wide, nullptr, indexes).senders.front();
    bool disorder = false;
    for (const KernelCaTransitionRow& row : reading.store().kernel_ca_transitions()) {
        const StateBand::Span* const state = all.kernel_ca.span_at(row.time_ns);
        ASSERT_NE(state, nullptr);
        EXPECT_EQ(state->state, static_cast<uint8_t>(row.to));
        disorder = disorder || row.to == CaState::disorder;
    }
    EXPECT_TRUE(disorder);
    const auto far = PreparedRange::around({whole_of(reading), 0, 50});
    const SenderPicture whole = prepare_windows(reading, {target}, far, nullptr, indexes).senders.front();
    Extent told;
    for (const KernelWindowRow& row : rows) told.add(known(row.cwnd));
    Extent drawn;
    for (const StepPoint& point : whole.curves.kernel_cwnd) {
        drawn.add(point.min);
        drawn.add(point.max);
    }
    EXPECT_LE(whole.curves.kernel_cwnd.size(), far.columns());
    EXPECT_EQ(drawn.min, told.min);
    EXPECT_EQ(drawn.max, told.max);
    const SenderId initiator = sender_of(reading, 1, false);
    for (const SenderPicture& other : prepare_windows(reading, {initiator}, far, nullptr, indexes).senders)
        EXPECT_TRUE(other.curves.kernel_cwnd.empty() && other.kernel_ca.spans.empty() &&
                    other.kernel_ca.columns.empty());
}

TEST(WindowsPicture, NoLossIsForgotten) {
    const auto document = loaded_sample(lossy);
    const auto reading = document->data()->read();
    for (const bool target : {true, false}) {
        const SenderId sender = sender_of(reading, 1, target);
        std::array<uint32_t, loss_kinds> expected{};
        for (const LossRow& row : reading.store().losses()) {
            if (row.connection == 1 && row.sender == sender.side) ++expected[static_cast<size_t>(row.kind)];
        }
        for (const double pixels : {50.0, 2000.0}) {
            const auto prepared = PreparedRange::around({whole_of(reading), 0, pixels});
            std::array<uint32_t, loss_kinds> found{};
            const SenderTrack* track = track_of(reading, sender);
            for (const LossMark& mark : prepare_losses(reading, *track, prepared, nullptr)) {
                uint32_t sum = 0;
                for (size_t i = 0; i < loss_kinds; ++i) {
                    found[i] += mark.kinds[i];
                    sum += mark.kinds[i];
                    if (mark.kinds[i] == 0) continue;
                    EXPECT_GE(gravity(mark.kind), gravity(static_cast<LossKind>(i)));
                }
                EXPECT_EQ(sum, mark.count);
                EXPECT_EQ(reading.store().losses()[mark.row - 1].kind, mark.kind);
            }
            EXPECT_EQ(found, expected);
        }
    }
}

// What holds at a moment, by looking at all rows; NaN where not known or the connection is over.
double held(const std::vector<WindowRow>& rows, int64_t until_ns, uint32_t WindowRow::*figure, int64_t at) {
    if (at >= until_ns) return no_value;
    double value = no_value;
    for (const WindowRow& row : rows) {
        if (row.time_ns > at) break;
        value = known(row.*figure);
    }
    return value;
}

TEST(WindowsPicture, TheSumIsThatOfWhatHolds) {
    const auto document = loaded_sample("two-sessions.pcap.lz4");
    const auto reading = document->data()->read();
    const auto senders = senders_of_session(reading, all_sessions, true);
    ASSERT_GE(senders.size(), 2u);
    EXPECT_EQ(senders_of_session(reading, 1, true).size(), 1u);
    WindowIndexes indexes;
    std::vector<std::vector<WindowRow>> rows;
    int64_t last_ns = 0;
    for (const SenderId& sender : senders) {
        rows.push_back(rows_of(reading, sender));
        last_ns = std::max(last_ns, rows.back().back().time_ns);
    }
    const TimeRange busy{reading.timeline().first_ns(), last_ns};
    const auto prepared = PreparedRange::around({busy, 0, 2000});
    const WindowsPicture picture = prepare_windows(reading, senders, prepared, nullptr, indexes);
    ASSERT_EQ(picture.senders.size(), senders.size());
    EXPECT_FALSE(picture.sum.sampled);
    size_t sums = 0;
    for (int64_t at = busy.begin_ns; at < busy.end_ns; at += busy.span_ns() / 500) {
        double expected = 0;
        size_t summands = 0;
        for (size_t i = 0; i < senders.size(); ++i) {
            const double value = held(rows[i], picture.senders[i].curves.until_ns, &WindowRow::cwnd, at);
            if (std::isnan(value)) continue;
            expected += value;
            ++summands;
        }
        ASSERT_TRUE(same(value_at(picture.sum.curves.cwnd, at), summands == 0 ? no_value : expected))
            << at - busy.begin_ns;
        if (summands > 1) ++sums;
    }
    EXPECT_GT(sums, 10u);
}

TEST(WindowStatistics, WeighEachValueWithItsTime) {
    const auto document = loaded_sample("two-sessions.pcap.lz4");
    const auto reading = document->data()->read();
    const auto senders = senders_of_session(reading, all_sessions, true);
    std::vector<std::vector<WindowRow>> rows;
    int64_t first_ns = INT64_MAX;
    int64_t last_ns = 0;
    for (const SenderId& sender : senders) {
        rows.push_back(rows_of(reading, sender));
        first_ns = std::min(first_ns, rows.back().front().time_ns);
        last_ns = std::max(last_ns, rows.back().back().time_ns);
    }
    const TimeRange range{first_ns + (last_ns - first_ns) / 5, last_ns - (last_ns - first_ns) / 7};
    const StopFlag stop = false;
    const WindowStatistics statistics = window_statistics(reading, senders, range, stop);
    ASSERT_TRUE(statistics.complete);
    ASSERT_EQ(statistics.senders.size(), senders.size());
    std::vector<double> means;
    for (size_t i = 0; i < senders.size(); ++i) {
        // Every change within the range, one stretch after the other.
        std::vector<int64_t> moments{range.begin_ns, range.end_ns};
        for (const WindowRow& row : rows[i]) {
            if (range.contains(row.time_ns)) moments.push_back(row.time_ns);
        }
        std::ranges::sort(moments);
        long double weight = 0;
        long double sum = 0;
        long double squares = 0;
        for (size_t m = 0; m + 1 < moments.size(); ++m) {
            const double value = held(rows[i], end_of(reading, senders[i]), &WindowRow::cwnd, moments[m]);
            if (std::isnan(value)) continue;
            const auto duration = static_cast<long double>(moments[m + 1] - moments[m]);
            weight += duration;
            sum += duration * value;
            squares += duration * value * value;
        }
        const auto mean = static_cast<double>(sum / weight);
        const auto deviation =
            static_cast<double>(std::sqrt(std::max(0.0L, squares / weight - sum / weight * (sum / weight))));
        EXPECT_NEAR(statistics.senders[i].cwnd.mean, mean, mean * 1e-9);
        EXPECT_NEAR(statistics.senders[i].cwnd.standard_deviation, deviation, mean * 1e-6);
        means.push_back(mean);
    }
    EXPECT_NEAR(statistics.difference, *std::ranges::max_element(means) - *std::ranges::min_element(means),
                1e-3);
    EXPECT_GT(statistics.sum.mean, *std::ranges::max_element(means));
    // The difference, moment by moment.
    ASSERT_EQ(senders.size(), 2u);
    std::vector<int64_t> moments{range.begin_ns, range.end_ns};
    for (const auto& of_sender : rows) {
        for (const WindowRow& row : of_sender) {
            if (range.contains(row.time_ns)) moments.push_back(row.time_ns);
        }
    }
    std::ranges::sort(moments);
    Moments differences;
    for (size_t m = 0; m + 1 < moments.size(); ++m) {
        const double difference = held(rows[0], end_of(reading, senders[0]), &WindowRow::cwnd, moments[m]) -
                                  held(rows[1], end_of(reading, senders[1]), &WindowRow::cwnd, moments[m]);
        if (!std::isnan(difference))
            differences.add(difference, static_cast<double>(moments[m + 1] - moments[m]));
    }
    ASSERT_GE(statistics.known_share, least_known_share);
    ASSERT_TRUE(statistics.difference_deviation);
    EXPECT_NEAR(*statistics.difference_deviation, differences.standard_deviation(), means[0] * 1e-6);
    EXPECT_NEAR(*statistics.fairness, *jain_index(means), 1e-9);
    EXPECT_EQ(window_statistics(reading, {}, range, stop).sum.known_ns, 0);
}

using WindowsViewTest = testing_gui::ShownView<WindowsView>;

TEST_F(WindowsViewTest, ShowsTheBusiestSenderAndFollowsTheRange) {
    open(lossy);
    ASSERT_EQ(view->picture().senders.size(), 1u);
    EXPECT_TRUE(view->picture().senders.front().is_target);
    ViewState& state = document->state();
    state.set_range({state.whole().begin_ns + 100'000'000, state.whole().begin_ns + 101'000'000});
    settle();
    EXPECT_TRUE(view->picture().prepared.serves(view->plot().time_viewport()));
    EXPECT_EQ(view->statistics().range, state.range());
    state.set_connection(1, false);
    settle();
    EXPECT_FALSE(view->picture().senders.front().is_target);
}

TEST_F(WindowsViewTest, PanningInWhatIsPreparedPreparesNothing) {
    open(lossy);
    ViewState& state = document->state();
    state.set_range({state.whole().begin_ns + 100'000'000, state.whole().begin_ns + 150'000'000});
    settle();
    const PreparedRange before = view->picture().prepared;
    state.pan(0.1);
    EXPECT_EQ(view->picture().prepared, before);
    EXPECT_TRUE(before.serves(view->plot().time_viewport()));
}

TEST_F(WindowsViewTest, AClickedLossIsSelectedAndTold) {
    open(lossy);
    const auto& marks = view->picture().senders.front().losses;
    ASSERT_FALSE(marks.empty());
    const LossMark mark = marks[marks.size() / 2];
    // The losses' pane is the second.
    QPointF at(view->plot().time_viewport().x_of(mark.time_ns), 0);
    for (int y = 0; y < view->plot().height(); ++y) {
        const PlotPane* pane = view->plot().pane_at(QPointF(at.x(), y));
        if (pane != nullptr && pane->area().height() < 20) {
            at.setY(pane->area().center().y());
            break;
        }
    }
    EXPECT_TRUE(view->text_at(at.toPoint()).contains(loss_text(mark.kind)));
    testing_gui::click(view->plot(), at);
    EXPECT_EQ(document->state().selection(), (Selection{Selection::Kind::loss, mark.row}));
}

TEST_F(WindowsViewTest, AClickOnTheLinesSelectsThePacketThatMadeThemSo) {
    open(lossy);
    const QPointF at(view->plot().time_viewport().x_of(document->first_ns() + 200'000'000), 120);
    EXPECT_TRUE(view->text_at(at.toPoint()).contains(QStringLiteral("congestion window")));
    testing_gui::click(view->plot(), at);
    ASSERT_EQ(document->state().selection().kind, Selection::Kind::packet);
    const auto reading = document->data()->read();
    const int64_t time_ns = reading.timeline().time_of(document->state().selection().number);
    EXPECT_NEAR(static_cast<double>(time_ns), static_cast<double>(document->first_ns() + 200'000'000), 20e6);
}

TEST_F(WindowsViewTest, DrawsItselfInLines) {
    open(lossy);
    QPicture picture;
    QPainter painter(&picture);
    view->draw(painter);
    painter.end();
    EXPECT_GT(picture.size(), 10'000u);
    QImage image(view->size(), QImage::Format_ARGB32);
    image.fill(Qt::magenta);
    QPainter onto(&image);
    picture.play(&onto);
    onto.end();
    EXPECT_NE(image.pixelColor(image.width() / 2, image.height() / 2), QColor(Qt::magenta));
}

TEST_F(WindowsViewTest, WithoutDataItSaysSo) {
    open("login-discovery-inquiry.pcap");
    document->state().set_connection(0);
    settle();
    EXPECT_TRUE(view->picture().senders.empty());
    EXPECT_EQ(view->text_at({300, 100}), QString());
}

}  // namespace
}  // namespace sanscope
