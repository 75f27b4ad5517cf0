// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string_view>

#include "gui/testing/pointer_events.h"
#include "gui/testing/shown_view.h"
#include "gui/views/turnaround/turnaround_view.h"

namespace sanscope {
namespace {

using testing_gui::loaded_sample;
using testing_gui::send_mouse;
using testing_gui::wait_until;

constexpr const char* lossy = "loss-mixed-initiator.pcap.zst";
constexpr const char* reads = "reads-4k-qd8.pcap.zst";

TimeRange whole_of(const CaptureData::Reading& reading) {
    return {reading.timeline().first_ns(), reading.timeline().last_ns() + 1};
}

CommandIndex index_of(const CaptureData::Reading& reading, CommandScope scope = {}) {
    CommandIndex index(scope);
    index.follow(reading);
    return index;
}

TEST(CommandIndex, HoldsTheCommandsOfItsScopeInOrder) {
    const auto document = loaded_sample("two-sessions.pcap.lz4");
    const auto reading = document->data()->read();
    const auto& commands = reading.store().commands();
    const CommandIndex all = index_of(reading);
    EXPECT_EQ(all.points().size(), commands.size());
    EXPECT_TRUE(std::ranges::is_sorted(all.points(), {}, &CommandPoint::start_ns));
    size_t of_sessions = 0;
    for (uint32_t session = 1; session <= reading.store().sessions().size(); ++session) {
        const CommandIndex one = index_of(reading, {CommandScope::Kind::session, session});
        for (const CommandPoint& point : one.points()) EXPECT_EQ(commands[point.row].session, session);
        of_sessions += one.points().size();
    }
    EXPECT_EQ(of_sessions, commands.size());
}

TEST(TurnaroundPicture, WhatNobodyAnsweredIsAMarkAtItsRequest) {
    const auto document = loaded_sample("killed-initiator.pcap.zst");
    const auto reading = document->data()->read();
    const CommandIndex index = index_of(reading);
    uint32_t unanswered = 0;
    for (const CommandRow& row : reading.store().commands())
        unanswered += row.outcome == Outcome::unanswered ? 1 : 0;
    ASSERT_GT(unanswered, 0u);
    for (const double width : {300.0, 1'000'000.0}) {
        const TurnaroundPicture picture = prepare_turnaround(
            index, PreparedRange::around({whole_of(reading), 0, width}), nullptr, FilteredOut::faint);
        uint32_t marked = 0;
        for (const UnansweredMark& mark : picture.unanswered) {
            marked += mark.count;
            const CommandRow& row = reading.store().commands()[mark.command - 1];
            EXPECT_EQ(mark.time_ns, row.request_ns);
            EXPECT_EQ(row.response_ns, no_time);
        }
        EXPECT_EQ(marked, unanswered);
    }
}

TEST(PercentileLabels, NeverLieOnEachOther) {
    TurnaroundStatistics statistics;
    for (int64_t i = 1; i <= 1000; ++i)
        statistics.all.turnaround.add(1'000'000 + (i > 980 ? i * 100'000 : i));
    const ValueScale scale{1e5, 1e9, 0, 200, true};
    constexpr double height = 16;
    const auto labels = percentile_labels(statistics, scale, height);
    ASSERT_EQ(labels.size(), 2u);
    EXPECT_EQ(labels[0].text.toStdString(), "p50, p90");
    EXPECT_EQ(labels[1].text.toStdString(), "p99, p99.9");
    EXPECT_LT(labels[1].lines.front(), labels[0].top - height);
}

TEST(CommandIndex, KnowsTheDepthAtEveryMoment) {
    const auto document = loaded_sample(lossy);
    const auto reading = document->data()->read();
    const CommandIndex index = index_of(reading);
    const TimeRange whole = whole_of(reading);
    for (int64_t at = whole.begin_ns; at < whole.end_ns; at += whole.span_ns() / 997) {
        int64_t expected = 0;
        for (const CommandRow& row : reading.store().commands()) {
            int64_t end_ns = reading.timeline().end_of(row);
            if (end_ns == no_time) end_ns = reading.store().connections()[row.connection - 1].end_ns;
            if (Timeline::start_of(row) <= at && at < end_ns) ++expected;
        }
        ASSERT_EQ(index.depth_at(at), expected);
    }
}

TEST(TurnaroundPicture, NearItIsEveryCommand) {
    const auto document = loaded_sample(reads);
    const auto reading = document->data()->read();
    const CommandIndex index = index_of(reading);
    const auto prepared = PreparedRange::around({whole_of(reading), 0, 1000});
    const TurnaroundPicture picture = prepare_turnaround(index, prepared, nullptr, FilteredOut::faint);
    ASSERT_TRUE(picture.near);
    size_t answered = 0;
    for (const CommandRow& row : reading.store().commands())
        answered += row.turnaround_ns() != no_time ? 1U : 0U;
    EXPECT_EQ(picture.dots.size(), answered);
    for (const CommandDot& dot : picture.dots) {
        const CommandRow& row = reading.store().commands()[dot.command - 1];
        EXPECT_EQ(dot.time_ns, row.request_ns);
        EXPECT_EQ(dot.turnaround_ns, row.turnaround_ns());
        EXPECT_EQ(dot.kind, class_of(row.opcode));
    }
}

// A capture of more commands than are drawn one by one is too big for a sample: points are made up.
class ManyCommands : public testing::Test {
  protected:
    ManyCommands()
        : document(loaded_sample(reads)), reading(document->data()->read()), real(index_of(reading)) {}
    std::unique_ptr<Document> document;
    CaptureData::Reading reading;
    CommandIndex real;
};

TEST_F(ManyCommands, TheDepthsMeanAndExtentAreThoseOfAllMoments) {
    for (const double pixels : {60.0, 1500.0}) {
        // Only the busy part; at 60 pixels it is drawn by columns.
        const TimeRange busy{real.points().front().start_ns, real.points().back().start_ns + 1'000'000};
        const auto prepared = PreparedRange::around({busy, 0, pixels});
        const TurnaroundPicture picture = prepare_turnaround(real, prepared, nullptr, FilteredOut::faint);
        // Every moment at which anything changes.
        std::vector<int64_t> moments = real.starts();
        moments.insert(moments.end(), real.ends().begin(), real.ends().end());
        std::ranges::sort(moments);
        for (const int64_t at : moments) {
            if (!prepared.range.contains(at)) continue;
            const auto depth = static_cast<double>(real.depth_at(at));
            const size_t i = first_in_sight(picture.depth, at);
            ASSERT_LE(picture.depth[i].time_ns, at);
            ASSERT_LE(picture.depth[i].min, depth);
            ASSERT_GE(picture.depth[i].max, depth);
        }
        for (const StepPoint& point : picture.depth) {
            ASSERT_GE(point.min, 0);
            ASSERT_LE(point.max, 9);
        }
        double spent = 0;
        for (const DepthMean& mean : picture.depth_means) {
            spent += mean.mean * static_cast<double>(mean.range.span_ns());
        }
        double expected = 0;
        const TimeRange counted{picture.depth_means.front().range.begin_ns,
                                picture.depth_means.back().range.end_ns};
        for (const CommandRow& row : reading.store().commands()) {
            int64_t end_ns = reading.timeline().end_of(row);
            if (end_ns == no_time) end_ns = reading.store().connections()[row.connection - 1].end_ns;
            const int64_t begin = std::max(Timeline::start_of(row), counted.begin_ns);
            const int64_t end = std::min(end_ns, counted.end_ns);
            if (end > begin) expected += static_cast<double>(end - begin);
        }
        EXPECT_NEAR(spent, expected, expected * 1e-9);
    }
}

TEST(DensityGrid, CountsEveryCommandAndKeepsTheSlowest) {
    // More commands than are drawn one by one, made up of a store's own rows.
    ResultStore store(ResultStore::Keep::everything());
    uint32_t connection = 0;
    store.add_connection(connection);
    const PacketIndex packets;
    const Timeline timeline(store, packets);
    CommandIndex index(CommandScope{});
    constexpr int64_t begin = 1'700'000'000'000'000'000;
    constexpr size_t count = 20'000;
    for (size_t i = 0; i < count; ++i) {
        uint64_t number = 0;
        CommandRow& row = store.begin_command(number);
        row.connection = connection;
        row.session = 1;
        row.opcode = i % 3 == 0 ? 0x8a : 0x88;
        row.status = 0;
        row.outcome = Outcome::completed;
        row.request_ns = begin + static_cast<int64_t>(i) * 10'000;
        row.response_ns = row.request_ns + 100'000 + static_cast<int64_t>(i * 7919 % 900'000);
    }
    index.follow(store, timeline);
    ASSERT_GT(index.points().size(), count - 300);
    const TimeRange range{begin, begin + static_cast<int64_t>(count) * 10'000};
    const auto prepared = PreparedRange::around({range, 0, 700});
    const auto picture = prepare_turnaround(index, prepared, nullptr, FilteredOut::faint);
    ASSERT_FALSE(picture.near);
    const DensityGrid& grid = picture.grid;
    std::vector<DensityGrid::Counts> expected(grid.cells.size());
    for (const CommandPoint& point : index.points()) {
        const auto column = static_cast<size_t>((point.start_ns - grid.begin_ns) / grid.cell_ns);
        const int bin = static_cast<int>(std::floor(std::log10(static_cast<float>(point.turnaround_ns)) *
                                                    static_cast<float>(DensityGrid::bins_per_decade)));
        // On the very border of a bin either is right.
        ++expected[column * grid.bins + static_cast<size_t>(bin - grid.first_bin)]
                  [static_cast<size_t>(point.kind)];
    }
    size_t other = 0;
    uint64_t all = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
        other += expected[i] == grid.cells[i] ? 0U : 1U;
        all += grid.cells[i][0] + grid.cells[i][1] + grid.cells[i][2];
    }
    EXPECT_EQ(all, index.points().size());
    EXPECT_LT(other, expected.size() / 200);
    // The slowest of each eight columns is a dot.
    const int64_t stretch_ns = prepared.ns_per_column * 8;
    std::map<int64_t, int64_t> slowest;
    for (const CommandPoint& point : index.points()) {
        auto& longest = slowest[(point.start_ns - grid.begin_ns) / stretch_ns];
        longest = std::max(longest, point.turnaround_ns);
    }
    ASSERT_EQ(picture.dots.size(), slowest.size());
    for (const CommandDot& dot : picture.dots) {
        EXPECT_EQ(dot.turnaround_ns, slowest[(dot.time_ns - grid.begin_ns) / stretch_ns]);
    }
    EXPECT_FALSE(density_image(grid, Theme::light()).isNull());
    const CommandPoint& one = index.points()[777];
    EXPECT_EQ(
        command_within(index, {one.start_ns, one.start_ns + 1}, one.turnaround_ns, one.turnaround_ns + 1),
        one.row + 1u);
}

TEST(TurnaroundStatistics, AreThoseOfTheRowsInTheRange) {
    const auto document = loaded_sample(lossy);
    const auto reading = document->data()->read();
    const CommandIndex index = index_of(reading);
    const TimeRange whole = whole_of(reading);
    const TimeRange range{whole.begin_ns + 50'000'000, whole.begin_ns + 300'000'000};
    const StopFlag stop = false;
    for (const GroupBy by : {GroupBy::opcode, GroupBy::size, GroupBy::lun, GroupBy::session}) {
        const auto statistics = turnaround_statistics(reading, index, range, by, nullptr, stop);
        ASSERT_TRUE(statistics.complete);
        uint64_t grouped = 0;
        for (const auto& group : statistics.groups) {
            std::vector<int64_t> turnarounds;
            uint64_t bytes = 0;
            uint64_t count = 0;
            int64_t first_ns = INT64_MAX;
            int64_t last_ns = no_time;
            for (const CommandRow& row : reading.store().commands()) {
                if (!range.contains(Timeline::start_of(row))) continue;
                bool of_group = false;
                if (by == GroupBy::opcode)
                    of_group = row.opcode == group.key && std::string_view(row.name) == group.name;
                if (by == GroupBy::lun) of_group = row.lun == group.key;
                if (by == GroupBy::session) of_group = row.session == group.key;
                if (by == GroupBy::size) {
                    const bool none = row.bytes == unknown<uint64_t> || row.bytes == 0;
                    of_group = group.key == 0
                                   ? none
                                   : !none && row.bytes <= uint64_t{1} << (group.key - 1) &&
                                         (group.key == 1 || row.bytes > uint64_t{1} << (group.key - 2));
                }
                if (!of_group) continue;
                ++count;
                first_ns = std::min(first_ns, Timeline::start_of(row));
                last_ns = std::max(last_ns, row.response_ns);
                if (row.turnaround_ns() != no_time) turnarounds.push_back(row.turnaround_ns());
                if (row.response_ns != no_time && row.bytes != unknown<uint64_t>) bytes += row.bytes;
            }
            EXPECT_EQ(group.count, count);
            EXPECT_EQ(group.bytes, bytes);
            EXPECT_EQ(group.span_ns(), last_ns - first_ns);
            EXPECT_NEAR(group.bytes_per_second(),
                        static_cast<double>(bytes) * 1e9 / static_cast<double>(last_ns - first_ns), 1e-3);
            ASSERT_EQ(group.turnaround.count(), turnarounds.size());
            std::ranges::sort(turnarounds);
            for (const double fraction : {0.5, 0.9, 0.99, 1.0}) {
                if (turnarounds.empty()) break;
                const auto place =
                    static_cast<size_t>(std::ceil(fraction * static_cast<double>(turnarounds.size())));
                const auto exact = static_cast<double>(turnarounds[std::max<size_t>(place, 1) - 1]);
                EXPECT_NEAR(static_cast<double>(group.turnaround.percentile_ns(fraction)), exact,
                            exact * 0.01);
            }
            double mean = 0;
            double variance = 0;
            const auto weight = static_cast<double>(std::max<size_t>(turnarounds.size(), 1));
            for (const int64_t turnaround : turnarounds) mean += static_cast<double>(turnaround) / weight;
            for (const int64_t turnaround : turnarounds)
                variance += std::pow(static_cast<double>(turnaround) - mean, 2) / weight;
            EXPECT_NEAR(group.turnaround.mean_ns(), mean, mean * 1e-9);
            EXPECT_NEAR(group.turnaround.standard_deviation_ns(), std::sqrt(variance), mean * 1e-6);
            grouped += count;
        }
        EXPECT_EQ(statistics.all.count, grouped);
        EXPECT_TRUE(
            std::ranges::is_sorted(statistics.groups, std::greater(), &TurnaroundStatistics::Group::count));
        uint64_t in_bins = 0;
        for (const auto& bin : statistics.histogram) in_bins += bin[0] + bin[1] + bin[2];
        EXPECT_EQ(in_bins, statistics.all.turnaround.count());
    }
}

// As much as the report tells of the session, however long the capture goes on around it.
TEST(TurnaroundStatistics, ThroughputIsOverTheTimeOfTheCommands) {
    for (const char* const sample : {lossy, "two-sessions.pcap.lz4"}) {
        const auto document = loaded_sample(sample);
        const auto reading = document->data()->read();
        const StopFlag stop = false;
        const auto statistics = turnaround_statistics(reading, index_of(reading), whole_of(reading),
                                                      GroupBy::session, nullptr, stop);
        size_t sessions = 0;
        for (const auto& group : statistics.groups) {
            if (group.key == 0) continue;
            const Summary::SessionLoad& load = reading.store().summary().sessions()[group.key - 1];
            const double seconds = static_cast<double>(load.last_ns - load.first_ns) / 1e9;
            const auto moved = static_cast<double>(load.bytes_read + load.bytes_written) / seconds;
            EXPECT_NEAR(group.bytes_per_second(), moved, moved / 50) << sample;
            ++sessions;
        }
        EXPECT_GT(sessions, 0u) << sample;
    }
}

TEST(TurnaroundPicture, WhatTheFilterRejectsIsFaintOrLeftOut) {
    const auto document = loaded_sample(reads);
    const auto reading = document->data()->read();
    const CommandIndex index = index_of(reading);
    FilterResult filter;
    filter.rows.commands = RowSet(reading.store().commands().size());
    for (size_t row = 0; row < filter.rows.commands.size(); row += 3) filter.rows.commands.set(row);
    const auto prepared = PreparedRange::around({whole_of(reading), 0, 1000});
    const auto faint = prepare_turnaround(index, prepared, &filter, FilteredOut::faint);
    const auto out = prepare_turnaround(index, prepared, &filter, FilteredOut::left_out);
    EXPECT_EQ(static_cast<size_t>(std::ranges::count(faint.dots, true, &CommandDot::passes)),
              out.dots.size());
    EXPECT_GT(faint.dots.size(), 2 * out.dots.size());
    for (const CommandDot& dot : out.dots) EXPECT_EQ((dot.command - 1) % 3, 0u);
    const StopFlag stop = false;
    const auto statistics =
        turnaround_statistics(reading, index, whole_of(reading), GroupBy::opcode, &filter, stop);
    EXPECT_EQ(statistics.all.count, filter.rows.commands.count());
}

using TurnaroundViewTest = testing_gui::ShownView<TurnaroundView>;

TEST_F(TurnaroundViewTest, AClickedPointSelectsItsCommandAndADoubleClickGoesThere) {
    open(lossy);
    ViewState& state = document->state();
    const auto& dots = view->drawn().dots;
    ASSERT_GT(dots.size(), 100u);
    const auto slowest = std::ranges::max_element(dots, {}, &CommandDot::turnaround_ns);
    const CommandDot dot = *slowest;
    const QPointF at(view->scatter_pane().viewport().x_of(dot.time_ns),
                     view->scatter_pane().scale().y_of(static_cast<double>(dot.turnaround_ns)));
    ASSERT_TRUE(view->scatter_pane().area().contains(at.toPoint()));
    EXPECT_TRUE(view->text_at(at.toPoint()).contains(QStringLiteral("command %1").arg(dot.command)));
    testing_gui::click(view->plot(), at);
    EXPECT_EQ(state.selection(), (Selection{Selection::Kind::command, dot.command}));
    send_mouse(view->plot(), QEvent::MouseButtonDblClick, at, Qt::LeftButton);
    ASSERT_TRUE(wait_until([&] { return state.range() != state.first_view(); }));
    EXPECT_TRUE(state.range().contains(dot.time_ns));
    EXPECT_LT(state.range().span_ns(), 3 * dot.turnaround_ns);
    settle();
    EXPECT_EQ(view->statistics().range, state.range());
}

TEST_F(TurnaroundViewTest, TheSelectedCommandShowsWhereItsTimeWent) {
    open(lossy);
    EXPECT_TRUE(view->strip().isHidden());
    const auto reading = document->data()->read();
    const auto& commands = reading.store().commands();
    uint64_t slowest = 1;
    for (uint64_t number = 1; number <= commands.size(); ++number) {
        if (commands[number - 1].turnaround_ns() > commands[slowest - 1].turnaround_ns()) slowest = number;
    }
    document->state().select({Selection::Kind::command, slowest});
    ASSERT_TRUE(wait_until([&] { return document->state().selected().command == slowest; }));
    settle();
    ASSERT_TRUE(view->strip().isVisible());
    ASSERT_TRUE(view->strip().parts().has_value());
    EXPECT_EQ(sum_of(*view->strip().parts()), commands[slowest - 1].turnaround_ns());
    CommandBudget budget;
    ASSERT_TRUE(reading.budgets()->find(slowest, budget));
    EXPECT_EQ(*view->strip().parts(), budget.parts());
    EXPECT_TRUE(view->strip().title().contains(QString::number(slowest)));
    // Hovering a point tells its own parts, not those of the selected command.
    const auto dot = std::ranges::find_if(view->drawn().dots, [&](const CommandDot& one) {
        return one.command != slowest && one.turnaround_ns > 1'000'000;
    });
    ASSERT_NE(dot, view->drawn().dots.end());
    const PlotPane& pane = view->scatter_pane();
    const QPoint at = QPointF(pane.viewport().x_of(dot->time_ns),
                              pane.scale().y_of(static_cast<double>(dot->turnaround_ns)))
                          .toPoint();
    const CommandDot* under = dot_at(view->drawn(), pane.viewport(), pane.scale(), at.x(), at.y(), 7);
    ASSERT_NE(under, nullptr);
    ASSERT_TRUE(reading.budgets()->find(under->command, budget));
    const QStringList lines = largest_parts(budget.parts(), 4);
    EXPECT_FALSE(view->text_at(at).contains(lines.front().toHtmlEscaped()));
    Q_EMIT view->plot().hovered(at);
    settle();
    for (const QString& line : lines) EXPECT_TRUE(view->text_at(at).contains(line.toHtmlEscaped()));
    // Nothing selected, nothing shown.
    document->state().select({});
    ASSERT_TRUE(wait_until([&] { return view->strip().isHidden(); }));
}

TEST_F(TurnaroundViewTest, TheHistogramStandsExactlyBesideThePoints) {
    open(lossy);
    const QRect scatter = view->scatter_pane().area();
    const PlotPane* side = view->plot().pane_at(QPointF(view->plot().width() - 40, scatter.center().y()));
    ASSERT_NE(side, nullptr);
    ASSERT_NE(side, &view->scatter_pane());
    EXPECT_EQ(side->area().top(), scatter.top());
    EXPECT_EQ(side->area().bottom(), scatter.bottom());
    EXPECT_EQ(side->scale().lower, view->scatter_pane().scale().lower);
    EXPECT_EQ(side->scale().upper, view->scatter_pane().scale().upper);
    EXPECT_TRUE(view->text_at(side->area().center()).contains(QStringLiteral("%")));
}

TEST_F(TurnaroundViewTest, EveryPointInSightIsWithinItsPane) {
    open(lossy);
    for (const CommandDot& dot : view->drawn().dots) {
        const double y = view->scatter_pane().scale().y_of(static_cast<double>(dot.turnaround_ns));
        EXPECT_GE(y, view->scatter_pane().area().top());
        EXPECT_LE(y, view->scatter_pane().area().bottom());
    }
}

}  // namespace
}  // namespace sanscope
