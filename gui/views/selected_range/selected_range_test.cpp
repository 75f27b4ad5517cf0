// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTableWidget>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/testing/shown_view.h"
#include "gui/views/selected_range/selected_range_view.h"

#include "analyzer/base/testing/durations.h"
#include "analyzer/scsi/opcodes.h"

namespace sanscope {
namespace {

using testing_gui::loaded_sample;
using testing_gui::wait_until;

constexpr const char* lossy = "loss-mixed-initiator.pcap.zst";
constexpr const char* two_sessions = "two-sessions.pcap.lz4";
using test::ms;

TimeRange whole_of(const CaptureData::Reading& reading) {
    return {reading.timeline().first_ns(), reading.timeline().last_ns() + 1};
}

RangeFigures figures_of(const Document& document, TimeRange range, ConnectionChooser::Scope scope = {},
                        std::shared_ptr<const FilterResult> filter = nullptr) {
    return range_figures(document.data()->read(), {range, scope, std::move(filter)}, StopFlag(false));
}

// The same, by a look at each row.
RangeFigures counted_one_by_one(const CaptureData::Reading& reading, TimeRange range) {
    RangeFigures figures;
    const ResultStore& store = reading.store();
    for (size_t i = 0; i < store.segments().size(); ++i) {
        const SegmentRow& row = store.segments()[i];
        if (row.connection == 0 || !range.contains(reading.timeline().time_of(i + 1))) continue;
        if (reading.timeline().track(row.connection) == nullptr) continue;
        auto& direction = store.connection(row.connection).is_initiator(row.sender) ? figures.to_target
                                                                                    : figures.to_initiator;
        ++direction.segments;
        direction.payload += row.payload_length;
    }
    for (uint32_t loss = 0; loss < store.losses().size(); ++loss) {
        if (range.contains(reading.timeline().time_of_loss(loss)))
            ++figures.losses[static_cast<size_t>(store.losses()[loss].kind)];
    }
    double busy_ns = 0;
    for (const CommandRow& row : store.commands()) {
        if (row.request_ns != no_time && range.contains(row.request_ns)) ++figures.requested;
        if (row.response_ns == no_time) continue;
        const int64_t overlap_ns =
            std::min(row.response_ns, range.end_ns) - std::max(row.request_ns, range.begin_ns);
        if (overlap_ns > 0) busy_ns += static_cast<double>(overlap_ns);
        if (!range.contains(row.response_ns)) continue;
        auto& commands = is_read_opcode(row.opcode)    ? figures.reads
                         : is_write_opcode(row.opcode) ? figures.writes
                                                       : figures.others;
        ++commands.count;
        commands.turnaround.add(row.turnaround_ns());
    }
    figures.under_way = busy_ns / static_cast<double>(range.span_ns());
    return figures;
}

void expect_same(const RangeFigures& found, const RangeFigures& expected) {
    EXPECT_EQ(found.to_target.segments, expected.to_target.segments);
    EXPECT_EQ(found.to_target.payload, expected.to_target.payload);
    EXPECT_EQ(found.to_initiator.segments, expected.to_initiator.segments);
    EXPECT_EQ(found.to_initiator.payload, expected.to_initiator.payload);
    EXPECT_EQ(found.losses, expected.losses);
    EXPECT_EQ(found.requested, expected.requested);
    EXPECT_EQ(found.reads.count, expected.reads.count);
    EXPECT_EQ(found.writes.count, expected.writes.count);
    EXPECT_EQ(found.others.count, expected.others.count);
    EXPECT_EQ(found.turnaround().percentile_ns(0.9), expected.turnaround().percentile_ns(0.9));
    EXPECT_NEAR(found.under_way, expected.under_way, 1e-6);
}

TEST(RangeFigures, AreThoseOfTheRowsInAnyRange) {
    for (const char* const sample : {lossy, two_sessions}) {
        const auto document = loaded_sample(sample);
        const auto reading = document->data()->read();
        const TimeRange whole = whole_of(reading);
        for (const auto& [from, to] :
             {std::pair(0.0, 1.0), {0.03, 0.07}, {0.0, 0.2}, {0.19, 0.191}, {0.9, 1.0}}) {
            const auto at = [&, span = static_cast<double>(whole.span_ns())](double share) {
                return whole.begin_ns + static_cast<int64_t>(span * share);
            };
            const TimeRange range{at(from), at(to)};
            SCOPED_TRACE(testing::Message() << sample << ' ' << from << " to " << to);
            const RangeFigures found = figures_of(*document, range);
            EXPECT_TRUE(found.complete);
            expect_same(found, counted_one_by_one(reading, range));
        }
    }
}

TEST(RangeFigures, PartsAreTheTurnaroundsOfTheCommandsThatWereAnsweredThere) {
    const auto document = loaded_sample(lossy);
    const auto reading = document->data()->read();
    const TimeRange whole = whole_of(reading);
    const TimeRange range{whole.begin_ns + 50 * ms, whole.begin_ns + 150 * ms};
    const RangeFigures found = figures_of(*document, range);
    ASSERT_TRUE(found.parts_known);
    int64_t turnarounds_ns = 0;
    for (const CommandRow& row : reading.store().commands()) {
        if (row.response_ns != no_time && range.contains(row.response_ns))
            turnarounds_ns += row.turnaround_ns();
    }
    int64_t parts_ns = 0;
    for (const int64_t part : found.parts) parts_ns += part;
    EXPECT_GT(parts_ns, 0);
    EXPECT_EQ(parts_ns, turnarounds_ns);
}

TEST(RangeFigures, OfSessionsAddUp) {
    const auto document = loaded_sample(two_sessions);
    const TimeRange whole = whole_of(document->data()->read());
    using Kind = ConnectionChooser::Scope::Kind;
    const RangeFigures all = figures_of(*document, whole);
    const RangeFigures one = figures_of(*document, whole, {Kind::session, 1});
    const RangeFigures two = figures_of(*document, whole, {Kind::session, 2});
    EXPECT_GT(one.commands(), 0u);
    EXPECT_GT(two.commands(), 0u);
    EXPECT_EQ(one.commands() + two.commands(), all.commands());
}

TEST(RangeFigures, AreOfWhatPassesTheFilter) {
    const auto document = loaded_sample(lossy);
    const auto reading = document->data()->read();
    const ResultStore& store = reading.store();
    auto filter = std::make_shared<FilterResult>();
    RowSet reads(store.commands().size());
    uint64_t count = 0;
    for (size_t row = 0; row < store.commands().size(); ++row) {
        if (!is_read_opcode(store.commands()[row].opcode)) continue;
        reads.set(row);
        ++count;
    }
    filter->rows = link_rows(reading.pdu_index(), Selected::commands, reads);
    const RangeFigures all = figures_of(*document, whole_of(reading));
    const RangeFigures found = figures_of(*document, whole_of(reading), {}, filter);
    EXPECT_EQ(found.commands(), count);
    EXPECT_EQ(found.writes.count, 0u);
    EXPECT_LT(found.to_target.payload, all.to_target.payload);
    EXPECT_GT(found.to_initiator.payload, 0u);
}

const RangeRow* find_row(const std::vector<RangeRow>& rows, const QString& name) {
    const auto found = std::ranges::find(rows, name, &RangeRow::name);
    return found == rows.end() ? nullptr : &*found;
}

TEST(RangeRows, StandBesideThoseOfTheRangeThatWasKept) {
    const auto document = loaded_sample(lossy);
    const TimeRange whole = whole_of(document->data()->read());
    const RangeFigures early = figures_of(*document, {whole.begin_ns, whole.begin_ns + 100 * ms});
    const RangeFigures late = figures_of(*document, {whole.begin_ns + 100 * ms, whole.begin_ns + 200 * ms});
    const auto alone = range_rows(late, nullptr);
    const auto both = range_rows(late, &early);
    const RangeRow* const commands = find_row(both, QStringLiteral("commands"));
    ASSERT_NE(commands, nullptr);
    EXPECT_EQ(commands->shown, QString::number(late.commands()));
    EXPECT_EQ(commands->kept, QString::number(early.commands()));
    EXPECT_TRUE(find_row(alone, QStringLiteral("commands"))->kept.isEmpty());
    EXPECT_TRUE(find_row(both, QStringLiteral("duration"))->change.isEmpty());
    // Nothing failed in either, and nothing has no percentage.
    EXPECT_NE(find_row(both, QStringLiteral("recovery")), nullptr);
}

TEST(RangeRows, FewCommandsASecondAreNoWholeNumberAndPartsAreOfThoseThatHaveThem) {
    RangeFigures figures;
    figures.question.range = {0, 10'000'000'000};
    figures.reads.count = 6;
    figures.reads.turnaround.add(ms);
    figures.parts_known = true;
    auto rows = range_rows(figures, nullptr);
    const auto commands = std::ranges::find(rows, QStringLiteral("commands"), &RangeRow::name);
    ASSERT_NE(commands, rows.end());
    EXPECT_EQ(std::next(commands)->shown.toStdString(), "0.6");
    EXPECT_NE(find_row(rows, QStringLiteral("not known of any command")), nullptr);
    EXPECT_EQ(find_row(rows, QStringLiteral("no command was answered")), nullptr);
    figures.parts[0] = 12 * ms;
    figures.with_parts = 4;
    figures.reads.count = 1995;
    rows = range_rows(figures, nullptr);
    EXPECT_EQ(
        std::next(std::ranges::find(rows, QStringLiteral("commands"), &RangeRow::name))->shown.toStdString(),
        "200");
    EXPECT_EQ(rows.back().shown.toStdString(), "3.00 ms");
}

TEST(SelectedRangeView, WhatIsKeptOfOtherRowsIsSaidToBe) {
    const auto document = loaded_sample(lossy);
    SelectedRangeView view(*document, nullptr);
    view.resize(500, 600);
    view.show();
    ASSERT_TRUE(wait_until([&] { return view.settled() && !view.rows().empty(); }));
    const auto title = [&] {
        for (const QLabel* const label : view.findChildren<QLabel*>()) {
            if (label->text().contains(QStringLiteral("Range in sight"))) return label->text().toStdString();
        }
        return std::string();
    };
    view.keep();
    EXPECT_EQ(title().find("filter"), std::string::npos);
    auto filter = std::make_shared<FilterResult>();
    const auto reading = document->data()->read();
    filter->rows =
        link_rows(reading.pdu_index(), Selected::commands, RowSet(reading.store().commands().size()));
    document->state().set_filter(filter);
    EXPECT_TRUE(wait_until(
        [&] { return view.settled() && title().find("whatever the filter") != std::string::npos; }));
}

TEST(RangeRows, OfARangeWithoutCommandsSayNoTimes) {
    const auto document = loaded_sample(lossy);
    const TimeRange whole = whole_of(document->data()->read());
    const RangeFigures nothing = figures_of(*document, {whole.end_ns + ms, whole.end_ns + 2 * ms});
    const auto rows = range_rows(nothing, nullptr);
    EXPECT_EQ(find_row(rows, QStringLiteral("reads")), nullptr);
    EXPECT_NE(find_row(rows, QStringLiteral("no command was answered")), nullptr);
}

TEST(SelectedRangeView, ShowsTheSelectedRangeElseTheOneInSight) {
    const auto document = loaded_sample(lossy);
    SelectedRangeView view(*document, nullptr);
    view.resize(500, 600);
    view.show();
    wait_until([&] { return view.settled() && !view.rows().empty(); });
    const QString all = find_row(view.rows(), QStringLiteral("commands"))->shown;
    EXPECT_EQ(all, QStringLiteral("165"));
    const TimeRange whole = document->state().whole();
    document->state().set_selected_range({whole.begin_ns + 50 * ms, whole.begin_ns + 60 * ms});
    wait_until(
        [&] { return view.settled() && find_row(view.rows(), QStringLiteral("commands"))->shown != all; });
    EXPECT_EQ(find_row(view.rows(), QStringLiteral("duration"))->shown, QStringLiteral("10.0 ms"));
    view.keep();
    document->state().set_selected_range({});
    wait_until(
        [&] { return view.settled() && find_row(view.rows(), QStringLiteral("commands"))->shown == all; });
    EXPECT_EQ(find_row(view.rows(), QStringLiteral("duration"))->kept, QStringLiteral("10.0 ms"));
    view.forget();
    EXPECT_TRUE(find_row(view.rows(), QStringLiteral("duration"))->kept.isEmpty());
}

TEST(SelectedRangeView, ARangeInSightIsNotCalledSelectedAnyMore) {
    const auto document = loaded_sample(lossy);
    ViewState& state = document->state();
    SelectedRangeView view(*document, nullptr);
    view.resize(500, 600);
    view.show();
    const TimeRange selected{state.whole().begin_ns + 50 * ms, state.whole().begin_ns + 60 * ms};
    state.set_selected_range(selected);
    state.set_range(selected);
    const auto heading = [&] { return view.findChild<QTableWidget*>()->horizontalHeaderItem(1)->text(); };
    ASSERT_TRUE(wait_until(
        [&] { return view.settled() && !view.rows().empty() && heading() == QStringLiteral("selected"); }));
    ASSERT_EQ(state.range(), selected);
    state.set_selected_range({});
    EXPECT_EQ(heading(), QStringLiteral("in sight"));
}

}  // namespace
}  // namespace sanscope
