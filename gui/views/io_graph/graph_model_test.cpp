// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTemporaryDir>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <map>

#include "gui/models/table_access.h"
#include "gui/testing/loaded_document.h"
#include "gui/views/io_graph/graph_csv.h"
#include "gui/views/io_graph/graph_picture.h"
#include "gui/views/io_graph/graph_words.h"
#include "gui/views/io_graph/interval_value.h"

#include "analyzer/base/testing/durations.h"
#include "analyzer/export/testing/grid_table.h"
#include "analyzer/query/column_meaning.h"

namespace sanscope {
namespace {

using testing::ElementsAre;
using testing_gui::loaded_sample;

constexpr const char* lossy = "loss-mixed-initiator.pcap.zst";
using test::ms;
const StopFlag go_on = false;

// Commands with the columns that lines ask for; a time or a value of -1 is not known.
struct Thing {
    int64_t response_ns;
    int64_t turnaround_ns = 0;
    uint64_t bytes = 0;
    int64_t lun = 0;
};

GridTable things_table(const std::vector<Thing>& things) {
    const std::vector<ColumnInfo> columns{
        {"lun", ColumnType::unsigned_integer, "Logical unit number"},
        {"bytes", ColumnType::unsigned_integer, "Expected data transfer length, bytes"},
        {"response_ns", ColumnType::integer, "Time of response_packet, nanoseconds since the epoch"},
        {"turnaround_ns", ColumnType::integer, "From request_packet to response_packet, nanoseconds"}};
    const auto known = [](int64_t value) { return value == -1 ? nothing() : number_cell(value); };
    std::vector<GridTable::Row> rows;
    for (const Thing& thing : things) {
        rows.push_back({thing.lun == -1 ? nothing() : number_cell(static_cast<uint64_t>(thing.lun)),
                        number_cell(thing.bytes), known(thing.response_ns), known(thing.turnaround_ns)});
    }
    return {columns, std::move(rows)};
}

// In blocks of some rows.
class ThingRows final : public GraphRows {
  public:
    explicit ThingRows(const std::vector<Thing>& things) : table_(things_table(things)) {}
    std::span<const ColumnInfo> columns(std::string_view) const override { return table_.columns(); }
    void walk(const Wanted&, const StopFlag& stop, const Visit& visit) const override {
        constexpr size_t at_once = 3;
        for (size_t first = 0; first < table_.rows() && !stop; first += at_once) {
            ++blocks;
            const size_t last = std::min(table_.rows(), first + at_once);
            const bool settled = last + unsettled <= table_.rows();
            visit({table_, first, last, settled ? std::optional(first / at_once) : std::nullopt, {}, {}});
        }
    }
    mutable size_t blocks = 0;
    size_t unsettled = SIZE_MAX / 2;  // of the last rows: by default all of them

  private:
    GridTable table_;
};

GraphLine line_of(GraphFunction function, std::string column = {}) {
    GraphLine line;
    line.function = function;
    line.column = std::move(column);
    return line;
}

std::vector<double> values_of(const GraphSeries& series) {
    std::vector<double> values;
    for (const auto& point : series.points) values.push_back(std::isnan(point.value) ? -1 : point.value);
    return values;
}

std::vector<double> values(const std::vector<Thing>& things, const GraphLine& line,
                           const GraphIntervals& intervals) {
    const auto series = graph_series(ThingRows(things), std::span(&line, 1), intervals, go_on);
    EXPECT_EQ(series.size(), 1u);
    return series.empty() ? std::vector<double>() : values_of(series.front());
}

ThingRows settled_but_for(size_t unsettled, const std::vector<Thing>& things) {
    ThingRows rows(things);
    rows.unsettled = unsettled;
    return rows;
}

// Three intervals of a tenth of a second from 1 s on: two commands in the first, none in the second, one in the third; and some
// beside them.
const GraphIntervals tenths{1'000 * ms, 100 * ms, 3};
const std::vector<Thing> few{{1'000 * ms, 4 * ms, 4096}, {1'100 * ms - 1, 8 * ms, 512},
                             {1'299 * ms, 2 * ms, 1024}, {999 * ms, 50 * ms, 7},
                             {1'300 * ms, 50 * ms, 7},   {-1, 50 * ms, 7}};

TEST(GraphSeries, AnIntervalHasTheRowsFromItsBeginningToBeforeItsEnd) {
    EXPECT_THAT(values(few, line_of(GraphFunction::count), tenths), ElementsAre(2, 0, 1));
    EXPECT_THAT(values(few, line_of(GraphFunction::rate), tenths), ElementsAre(20, 0, 10));
}

TEST(GraphSeries, OfNothingASumIsZeroAndAMeanNotKnown) {
    EXPECT_THAT(values(few, line_of(GraphFunction::sum, "bytes"), tenths), ElementsAre(4608, 0, 1024));
    EXPECT_THAT(values(few, line_of(GraphFunction::rate, "bytes"), tenths), ElementsAre(46080, 0, 10240));
    EXPECT_THAT(values(few, line_of(GraphFunction::mean, "turnaround_ns"), tenths),
                ElementsAre(6 * ms, -1, 2 * ms));
    EXPECT_THAT(values(few, line_of(GraphFunction::minimum, "turnaround_ns"), tenths),
                ElementsAre(4 * ms, -1, 2 * ms));
    EXPECT_THAT(values(few, line_of(GraphFunction::maximum, "turnaround_ns"), tenths),
                ElementsAre(8 * ms, -1, 2 * ms));
    EXPECT_THAT(values(few, line_of(GraphFunction::p50, "turnaround_ns"), tenths),
                ElementsAre(4 * ms, -1, 2 * ms));
}

// Two commands that take 12 ms of 100: 0.12 were under way on average.
TEST(GraphSeries, TheRateOfADurationIsHowManyWereUnderWay) {
    EXPECT_NEAR(values(few, line_of(GraphFunction::rate, "turnaround_ns"), tenths)[0], 0.12, 1e-12);
}

TEST(GraphSeries, ARowWithoutTheValueDoesNotCountForIt) {
    const std::vector<Thing> things{{1'000 * ms, 4 * ms}, {1'001 * ms, -1}, {1'002 * ms, 6 * ms}};
    const auto line = line_of(GraphFunction::mean, "turnaround_ns");
    const auto series = graph_series(ThingRows(things), std::span(&line, 1), tenths, go_on);
    ASSERT_EQ(series.size(), 1u);
    EXPECT_EQ(series[0].points[0].rows, 2u);
    EXPECT_EQ(series[0].points[0].value, 5 * ms);
    EXPECT_THAT(values(things, line_of(GraphFunction::count), tenths), ElementsAre(3, 0, 0));
}

TEST(GraphSeries, OnlyRowsThatPassTheLinesFilterCount) {
    GraphLine line = line_of(GraphFunction::count);
    line.filter = "bytes >= 1KiB";
    EXPECT_THAT(values(few, line, tenths), ElementsAre(1, 0, 1));
    line.filter = "bytes >=";
    EXPECT_TRUE(graph_series(ThingRows(few), std::span(&line, 1), tenths, go_on).empty());
}

TEST(GraphSeries, ALineThatIsOffHasNone) {
    GraphLine line = line_of(GraphFunction::count);
    line.on = false;
    EXPECT_TRUE(graph_series(ThingRows(few), std::span(&line, 1), tenths, go_on).empty());
}

TEST(GraphSeries, APercentileOfTooFewRowsIsNotFirm) {
    std::vector<Thing> things;
    for (int64_t i = 1; i <= 12; ++i) things.push_back({1'000 * ms + i, i * ms});
    for (int64_t i = 1; i <= 100; ++i) things.push_back({1'100 * ms + i, i * ms});
    const std::vector<GraphLine> lines{line_of(GraphFunction::p99, "turnaround_ns"),
                                       line_of(GraphFunction::p50, "turnaround_ns"),
                                       line_of(GraphFunction::p95, "turnaround_ns")};
    const auto series = graph_series(ThingRows(things), lines, tenths, go_on);
    ASSERT_EQ(series.size(), 3u);
    // The greatest of 12, and nothing more.
    EXPECT_EQ(series[0].points[0].value, 12 * ms);
    EXPECT_FALSE(series[0].points[0].firm);
    EXPECT_EQ(series[0].points[0].rows, 12u);
    EXPECT_EQ(series[0].points[1].value, 99 * ms);
    EXPECT_TRUE(series[0].points[1].firm);
    EXPECT_EQ(series[1].points[0].value, 6 * ms);
    EXPECT_TRUE(series[1].points[0].firm);
    EXPECT_EQ(series[1].points[1].value, 50 * ms);
    EXPECT_EQ(series[2].points[1].value, 95 * ms);
    EXPECT_FALSE(series[2].points[0].firm);
}

TEST(GraphSeries, ASplitHasALineEachInTheirOrderAndWhatIsNotKnownLast) {
    const std::vector<Thing> things{
        {1'000 * ms, 0, 0, 5}, {1'001 * ms, 0, 0, 2}, {1'200 * ms, 0, 0, 5}, {1'100 * ms, 0, 0, -1}};
    GraphLine line = line_of(GraphFunction::count);
    line.split = GraphSplit::lun;
    const auto series = graph_series(ThingRows(things), std::span(&line, 1), tenths, go_on);
    ASSERT_EQ(series.size(), 3u);
    EXPECT_EQ(series[0].of, GraphSeries::Of::key);
    EXPECT_EQ(series[0].key, 2u);
    EXPECT_THAT(values_of(series[0]), ElementsAre(1, 0, 0));
    EXPECT_EQ(series[1].key, 5u);
    EXPECT_THAT(values_of(series[1]), ElementsAre(1, 0, 1));
    EXPECT_EQ(series[2].of, GraphSeries::Of::no_key);
    EXPECT_THAT(values_of(series[2]), ElementsAre(0, 1, 0));
}

// LUN n has n commands: the eight of most are 5 to 12, and 1 + 2 + 3 + 4 are of the others.
TEST(GraphSeries, ASplitKeepsTheGreatestAndPutsTheRestTogether) {
    std::vector<Thing> things;
    for (int64_t lun = 1; lun <= 12; ++lun) {
        for (int64_t i = 0; i < lun; ++i) things.push_back({1'000 * ms + i, 0, 0, lun});
    }
    GraphLine line = line_of(GraphFunction::count);
    line.split = GraphSplit::lun;
    const auto series = graph_series(ThingRows(things), std::span(&line, 1), tenths, go_on);
    ASSERT_EQ(series.size(), most_split_series + 1);
    for (size_t i = 0; i < most_split_series; ++i) {
        EXPECT_EQ(series[i].key, 5 + i);
        EXPECT_EQ(series[i].points[0].value, static_cast<double>(5 + i));
    }
    EXPECT_EQ(series.back().of, GraphSeries::Of::others);
    EXPECT_EQ(series.back().points[0].value, 10);
    // By the value, not by how many rows: of the longest turnarounds LUN 1 has the only one.
    for (Thing& thing : things) thing.turnaround_ns = thing.lun == 1 ? 100 * ms : 1 * ms;
    line = line_of(GraphFunction::mean, "turnaround_ns");
    line.split = GraphSplit::lun;
    const auto means = graph_series(ThingRows(things), std::span(&line, 1), tenths, go_on);
    ASSERT_FALSE(means.empty());
    EXPECT_EQ(means[0].key, 1u);
    EXPECT_EQ(means[0].points[0].value, 100 * ms);
}

TEST(GraphSeries, OfManyKeysMemoryIsBounded) {
    std::vector<Thing> things;
    constexpr int64_t keys = 2 * most_split_keys;
    for (int64_t lun = 0; lun < keys; ++lun) things.push_back({1'000 * ms, 0, 0, lun});
    GraphLine line = line_of(GraphFunction::count);
    line.split = GraphSplit::lun;
    const auto series = graph_series(ThingRows(things), std::span(&line, 1), tenths, go_on);
    ASSERT_EQ(series.size(), most_split_series + 1);
    EXPECT_EQ(series.back().points[0].value, static_cast<double>(keys - int64_t{most_split_series}));
}

TEST(GraphSeries, EndsWhereItIsStopped) {
    const StopFlag stop = true;
    const ThingRows rows(few);
    const GraphLine line = line_of(GraphFunction::count);
    EXPECT_TRUE(graph_series(rows, std::span(&line, 1), tenths, stop).empty());
    EXPECT_EQ(rows.blocks, 0u);
}

TEST(ValueDistribution, IsExactOfFewAndCloseOfMany) {
    ValueDistribution distribution;
    for (int64_t i = 1; i <= 128; ++i) distribution.add(i * 1'000'003);
    EXPECT_TRUE(distribution.exact());
    EXPECT_EQ(distribution.percentile(50), 64 * 1'000'003);
    EXPECT_EQ(distribution.percentile(99), 127 * 1'000'003);
    for (int64_t i = 129; i <= 10'000; ++i) distribution.add(i * 1'000'003);
    EXPECT_FALSE(distribution.exact());
    for (const unsigned percent : {1u, 50u, 95u, 99u}) {
        const double expected = 1'000'003.0 * 100 * percent;
        EXPECT_NEAR(static_cast<double>(distribution.percentile(percent)), expected, expected / 128);
    }
}

TEST(ValueDistribution, TakesNegativeValuesToo) {
    ValueDistribution distribution;
    // -500 … 499
    for (int64_t i = 0; i < 1000; ++i) distribution.add((i * 7) % 1000 - 500);
    EXPECT_FALSE(distribution.exact());
    EXPECT_NEAR(static_cast<double>(distribution.percentile(1)), -491, 491.0 / 128 + 1);
    EXPECT_NEAR(static_cast<double>(distribution.percentile(25)), -251, 251.0 / 128 + 1);
    EXPECT_NEAR(static_cast<double>(distribution.percentile(95)), 449, 449.0 / 128 + 1);
    EXPECT_EQ(distribution.percentile(100), 499);
}

TEST(GraphIntervals, AreRoundAndNeverTooMany) {
    // 610 pixels of a second: 6 pixels are a little less than 10 ms.
    const TimeViewport second{{0, 1'000 * ms}, 0, 610};
    EXPECT_EQ(interval_length(second, 0, most_graph_intervals), 10 * ms);
    EXPECT_EQ(interval_length({{0, 1'100 * ms}, 0, 600}, 0, most_graph_intervals), 20 * ms);
    EXPECT_EQ(interval_length(second, ms, most_graph_intervals), ms);
    // A millisecond each of an hour would be millions.
    const TimeViewport hour{{0, 3'600'000 * ms}, 0, 600};
    for (const size_t most : {most_graph_intervals, size_t{256}}) {
        for (const int64_t wanted_ns : {int64_t{0}, ms, 10'000 * ms}) {
            GraphQuestion question;
            question.prepared = PreparedRange::around(hour);
            question.whole = {-hour.range.end_ns, 10 * hour.range.end_ns};
            question.length_ns = interval_length(hour, wanted_ns, most);
            const GraphIntervals intervals = intervals_in(question);
            EXPECT_LE(intervals.count, most);
            EXPECT_TRUE(intervals.range().contains(question.prepared.range));
            EXPECT_GE(intervals.length_ns, wanted_ns);
        }
    }
}

TEST(GraphIntervals, AreCountedFromTheBeginningAndEndWithTheCapture) {
    GraphQuestion question;
    question.prepared.range = {1'234 * ms, 3'000 * ms};
    question.whole = {3 * ms, 1'450 * ms};
    question.length_ns = 100 * ms;
    EXPECT_EQ(intervals_in(question), (GraphIntervals{1'203 * ms, 100 * ms, 3}));
    question.prepared.range = {-500 * ms, 50 * ms};
    EXPECT_EQ(intervals_in(question), (GraphIntervals{3 * ms, 100 * ms, 1}));
    question.prepared.range = {-500 * ms, -400 * ms};
    EXPECT_EQ(intervals_in(question).count, 0u);
}

TEST(GraphIntervals, OfManyPercentilesAreFewer) {
    std::vector<GraphLine> lines{line_of(GraphFunction::mean, "turnaround_ns")};
    EXPECT_EQ(most_intervals(lines), most_graph_intervals);
    for (size_t i = 0; i < most_graph_lines; ++i) {
        lines.push_back(line_of(GraphFunction::p99, "turnaround_ns"));
        lines.back().split = GraphSplit::session;
    }
    EXPECT_LT(most_intervals(lines), 512u);
    EXPECT_GE(most_intervals(lines), 256u);
}

TEST(GraphLines, AreOfTablesThatHaveATime) {
    const auto tables = graph_tables();
    for (const char* const table : {"commands", "pdus", "packets", "losses", "windows"})
        EXPECT_THAT(tables, testing::Contains(std::string_view(table)));
    EXPECT_THAT(tables, testing::Not(testing::Contains(std::string_view("sessions"))));
    EXPECT_EQ(graph_times("commands").front(), "response_ns");
    EXPECT_EQ(graph_times("losses").front(), "packet");
    EXPECT_EQ(graph_times("windows").front(), "time_ns");
    const auto columns = graph_value_columns("commands");
    for (const char* const column : {"bytes", "turnaround_ns", "queue_depth", "residual", "budget_target_ns"})
        EXPECT_THAT(columns, testing::Contains(std::string_view(column)));
    for (const char* const column : {"lun", "session", "request_packet", "request_ns", "name", "command"})
        EXPECT_THAT(columns, testing::Not(testing::Contains(std::string_view(column))));
    EXPECT_EQ(graph_splits_of("commands").size(), graph_splits);
    EXPECT_THAT(graph_splits_of("packets"), ElementsAre(GraphSplit::none, GraphSplit::connection));
}

TEST(GraphLines, PresetsAndFirstLinesCanBeDrawn) {
    for (const GraphPreset& preset : graph_presets()) {
        EXPECT_FALSE(preset.title.isEmpty());
        for (const GraphLine& line : preset.lines) {
            EXPECT_EQ(problem_of(line).toStdString(), "") << preset.title.toStdString();
            GraphLine fitting = line;
            make_fit(fitting);
            EXPECT_EQ(fitting, line) << preset.title.toStdString();
        }
        for (const QString& problem : plan_of(preset.lines).problems) EXPECT_EQ(problem.toStdString(), "");
    }
}

TEST(GraphLines, AThirdUnitIsRefusedWithTheReason) {
    std::vector<GraphLine> lines{line_of(GraphFunction::rate), line_of(GraphFunction::rate, "bytes"),
                                 line_of(GraphFunction::p50, "turnaround_ns"), line_of(GraphFunction::rate)};
    GraphPlan plan = plan_of(lines);
    EXPECT_EQ(plan.units[0], GraphUnit::number_per_second);
    EXPECT_EQ(plan.units[1], GraphUnit::bytes_per_second);
    EXPECT_THAT(plan.problems[2].toStdString(), testing::HasSubstr("duration"));
    EXPECT_TRUE(plan.problems[3].isEmpty());
    // One that is off needs no axis.
    lines[1].on = false;
    plan = plan_of(lines);
    EXPECT_EQ(plan.units[1], GraphUnit::duration);
    EXPECT_TRUE(plan.problems[2].isEmpty());
}

TEST(GraphLines, SayWhatIsWrongWithThem) {
    GraphLine line = line_of(GraphFunction::mean);
    EXPECT_FALSE(problem_of(line).isEmpty());
    line.column = "turnaround_ns";
    EXPECT_TRUE(problem_of(line).isEmpty());
    line.filter = "turnaruond > 1ms";
    EXPECT_THAT(problem_of(line).toStdString(), testing::HasSubstr("turnaround"));
}

TEST(GraphLines, AreKeptAsJson) {
    GraphSetup setup{default_graph_lines(), 100 * ms};
    setup.lines[1].filter = "name == \"READ(10)\" and bytes > 4KiB";
    setup.lines[1].split = GraphSplit::session;
    EXPECT_EQ(setup_from_json(to_json(setup)), setup);
    const GraphSetup none{{}, 0};
    EXPECT_EQ(setup_from_json(to_json(none)), none);
}

TEST(GraphLines, OfADamagedValueNothingIsTaken) {
    const QByteArray good = to_json({default_graph_lines(), 0});
    ASSERT_TRUE(setup_from_json(good));
    EXPECT_FALSE(setup_from_json({}));
    EXPECT_FALSE(setup_from_json("[]"));
    EXPECT_FALSE(setup_from_json("{}"));
    for (qsizetype size = 0; size < good.size(); ++size) EXPECT_FALSE(setup_from_json(good.left(size)));
    const std::map<QByteArray, QByteArray> damages{{"\"commands\"", "\"orders\""},
                                                   {"\"rate\"", "\"speed\""},
                                                   {"\"turnaround_ns\"", "\"name\""},
                                                   {"\"response_ns\"", "\"bytes\""},
                                                   {"\"on\":true", "\"on\":7"},
                                                   {"\"color\":2", "\"color\":200"},
                                                   {"\"interval_ns\":0", "\"interval_ns\":-1"}};
    for (const auto& [sound, damaged] : damages) {
        QByteArray json = good;
        json.replace(sound, damaged);
        ASSERT_NE(json, good) << sound.toStdString();
        EXPECT_FALSE(setup_from_json(json)) << damaged.toStdString();
    }
}

// As a range moves on and rows are added, what was kept of settled blocks gives the values that reading all anew does.
TEST(GraphSeries, OfSettledBlocksWhatWasKeptIsAsGoodAsReadingThem) {
    std::vector<Thing> things;
    for (int64_t i = 0; i < 3000; ++i)
        things.push_back(
            {1'000 * ms + i * ms, (i * 7919) % 1000 * ms / 100, static_cast<uint64_t>(512 * (i % 9))});
    for (size_t function = 0; function < graph_functions; ++function) {
        const GraphLine line = line_of(static_cast<GraphFunction>(function), "bytes");
        BlockSums sums;
        for (size_t rows = 1000; rows <= things.size(); rows += 500) {
            const std::vector<Thing> so_far(things.begin(), things.begin() + static_cast<ptrdiff_t>(rows));
            const GraphIntervals intervals{1'000 * ms + static_cast<int64_t>(rows - 1000) * ms, 100 * ms, 12};
            const bool again = sums.begin({{line}, 1'000 * ms, 100 * ms, nullptr, false});
            EXPECT_EQ(again, rows > 1000);
            const auto kept =
                graph_series(settled_but_for(40, so_far), std::span(&line, 1), intervals, go_on, &sums);
            sums.end();
            const auto read = graph_series(ThingRows(so_far), std::span(&line, 1), intervals, go_on);
            ASSERT_EQ(kept.size(), 1u);
            EXPECT_EQ(values_of(kept[0]), values_of(read[0])) << function << ' ' << rows;
            for (size_t i = 0; i < intervals.count; ++i) {
                EXPECT_EQ(kept[0].points[i].rows, read[0].points[i].rows);
                EXPECT_EQ(kept[0].points[i].exact, read[0].points[i].exact);
            }
        }
    }
}

TEST(GraphSeries, SettledBlocksAreReadOnceUntilSomethingElseIsAsked) {
    const GraphLine line = line_of(GraphFunction::count);
    const std::vector<Thing> none(few.size(), Thing{-1, 0, 0});
    BlockSums sums;
    const auto counts = [&](const std::vector<Thing>& things, int64_t length_ns) {
        sums.begin({{line}, tenths.begin_ns, length_ns, nullptr, false});
        const GraphIntervals intervals{tenths.begin_ns, length_ns, tenths.count};
        const auto series =
            graph_series(settled_but_for(3, things), std::span(&line, 1), intervals, go_on, &sums);
        sums.end();
        return values_of(series.front());
    };
    EXPECT_THAT(counts(few, 100 * ms), ElementsAre(2, 0, 1));
    // The first three rows are not looked at again, wherever they are now; the last three are.
    EXPECT_THAT(counts(none, 100 * ms), ElementsAre(2, 0, 1));
    EXPECT_THAT(counts(none, 200 * ms), ElementsAre(0, 0, 0));
}

class GraphOfSample : public testing::Test {
  protected:
    void SetUp() override {
        document = loaded_sample(lossy);
        ASSERT_TRUE(document);
    }
    GraphPicture picture_of(std::vector<GraphLine> lines, TimeRange range, int64_t length_ns) {
        GraphQuestion question;
        question.prepared.range = range;
        question.whole = document->state().whole();
        question.length_ns = length_ns;
        question.lines = std::move(lines);
        question.filter = filter;
        return prepare_graph(*document->data(), times, sums, question, go_on);
    }
    TimeRange whole() { return document->state().whole(); }

    std::unique_ptr<Document> document;
    BlockTimes times;
    BlockSums sums;
    std::shared_ptr<const FilterResult> filter;
};

TEST_F(GraphOfSample, LinesAreWhatTheRowsOfTheStoreComeTo) {
    GraphLine packets = line_of(GraphFunction::sum, "length");
    packets.table = "packets";
    packets.time = "time_ns";
    GraphLine losses = line_of(GraphFunction::count);
    losses.table = "losses";
    losses.time = "packet";
    const std::vector<GraphLine> lines{line_of(GraphFunction::count), line_of(GraphFunction::sum, "bytes"),
                                       line_of(GraphFunction::p50, "turnaround_ns"), packets, losses};
    // More units than a plot shows: each by itself.
    const int64_t length_ns = 20 * ms;
    const auto reading = document->data()->read();
    std::vector<std::vector<int64_t>> turnarounds(static_cast<size_t>(whole().span_ns() / length_ns + 1));
    std::vector<double> completed(turnarounds.size());
    std::vector<double> bytes(turnarounds.size());
    std::vector<double> wire(turnarounds.size());
    std::vector<double> lost(turnarounds.size());
    const auto place = [&](int64_t time_ns) {
        return static_cast<size_t>((time_ns - whole().begin_ns) / length_ns);
    };
    for (const CommandRow& row : reading.store().commands()) {
        if (row.response_ns == no_time) continue;
        const size_t at = place(row.response_ns);
        ++completed[at];
        if (row.turnaround_ns() != no_time) turnarounds[at].push_back(row.turnaround_ns());
        if (row.bytes != unknown<uint64_t>) bytes[at] += static_cast<double>(row.bytes);
    }
    for (PacketNumber packet = 1; packet <= reading.index().packets(); ++packet)
        wire[place(reading.timeline().time_of(packet))] +=
            reading.index().place<&PacketPlace::wire_length>(packet);
    for (size_t loss = 0; loss < reading.store().losses().size(); ++loss)
        ++lost[place(reading.timeline().time_of_loss(loss))];
    std::vector<GraphSeries> series;
    for (const GraphLine& line : lines) {
        const GraphPicture picture = picture_of({line}, whole(), length_ns);
        ASSERT_EQ(picture.series.size(), 1u);
        ASSERT_LE(picture.intervals.count, turnarounds.size());
        series.push_back(picture.series.front());
    }
    double commands = 0;
    for (size_t i = 0; i < series[0].points.size(); ++i) {
        auto& own = turnarounds[i];
        std::ranges::sort(own);
        commands += series[0].points[i].value;
        EXPECT_EQ(series[0].points[i].value, completed[i]);
        EXPECT_EQ(series[1].points[i].value, bytes[i]);
        EXPECT_EQ(series[3].points[i].value, wire[i]);
        EXPECT_EQ(series[4].points[i].value, lost[i]);
        if (own.empty()) {
            EXPECT_TRUE(std::isnan(series[2].points[i].value));
        } else if (own.size() <= ValueDistribution::most_exact) {
            EXPECT_EQ(series[2].points[i].value, static_cast<double>(own[(own.size() + 1) / 2 - 1]));
        }
    }
    EXPECT_GT(commands, 100);
}

// With blocks that are elsewhere left out, as without: the times of all blocks are known after the first picture.
TEST_F(GraphOfSample, APartIsTheSameAsThatPartOfAll) {
    GraphLine line = line_of(GraphFunction::count);
    line.table = "packets";
    line.time = "time_ns";
    const int64_t length_ns = 10 * ms;
    const GraphPicture all = picture_of({line}, whole(), length_ns);
    const TimeRange part{whole().begin_ns + 100 * ms, whole().begin_ns + 200 * ms};
    for (int again = 0; again < 2; ++again) {
        const GraphPicture near = picture_of({line}, part, length_ns);
        ASSERT_EQ(near.intervals.count, 10u);
        for (size_t i = 0; i < near.intervals.count; ++i)
            EXPECT_EQ(near.series[0].points[i].value, all.series[0].points[10 + i].value);
    }
    EXPECT_TRUE(times.find("packets", "time_ns", 0));
}

TEST_F(GraphOfSample, WhatTheFilterOfAllViewsRejectsDoesNotCount) {
    const auto reading = document->data()->read();
    RowSet reads(reading.store().commands().size());
    for (size_t row = 0; row < reads.size(); row += 3) reads.set(row);
    auto third = std::make_shared<FilterResult>();
    third->rows = link_rows(reading.pdu_index(), Selected::commands, reads);
    filter = third;
    const auto total = [&](const GraphLine& line) {
        double sum = 0;
        const GraphPicture picture = picture_of({line}, whole(), 100 * ms);
        for (const auto& point : picture.series.at(0).points) sum += point.value;
        return sum;
    };
    GraphLine line = line_of(GraphFunction::count);
    line.time = "request_ns";
    size_t requested = 0;
    reads.for_each(
        [&](size_t row) { requested += reading.store().commands()[row].request_ns == no_time ? 0u : 1u; });
    EXPECT_EQ(total(line), static_cast<double>(requested));
    line.table = "windows";
    line.time = "time_ns";
    size_t windows = 0;
    for (const WindowRow& row : reading.store().windows())
        windows += row.packet != 0 && third->rows.packets.test(row.packet - 1) ? 1u : 0u;
    // A sender's moments may lie a little before the first packet.
    EXPECT_NEAR(total(line), static_cast<double>(windows), 5 + static_cast<double>(windows) / 50);
    filter = nullptr;
    EXPECT_GT(total(line), static_cast<double>(windows));
}

TEST_F(GraphOfSample, IsWrittenAsCsv) {
    GraphLine mean = line_of(GraphFunction::mean, "turnaround_ns");
    mean.filter = "session in {1, 2}";
    const GraphPicture picture = picture_of({line_of(GraphFunction::rate), mean}, whole(), 100 * ms);
    const TimeRange range{whole().begin_ns + 150 * ms, whole().begin_ns + 301 * ms};
    StringSink sink;
    ASSERT_TRUE(write_graph_csv(picture, range, sink));
    const QStringList lines = QString::fromStdString(sink.text).split(QLatin1Char('\n'));
    ASSERT_EQ(lines.size(), 5);  // the last one is empty
    EXPECT_EQ(lines[0].toStdString(), "begin_s,commands per second,\"mean Turnaround (session in {1, 2})\"");
    EXPECT_TRUE(lines[1].startsWith(QStringLiteral("0.100000000,"))) << lines[1].toStdString();
    EXPECT_TRUE(lines[3].startsWith(QStringLiteral("0.300000000,"))) << lines[3].toStdString();
    EXPECT_EQ(lines[2].split(QLatin1Char(','))[1].toDouble(), picture.series[0].points[2].value);
    const QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("graph.csv")).toStdString();
    ASSERT_TRUE(write_graph_csv(picture, range, document->path().toStdString(), path));
    std::ifstream file(path);
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    EXPECT_EQ(text, sink.text);
    EXPECT_FALSE(write_graph_csv(picture, range, path, path));
}

TEST_F(GraphOfSample, WhatIsNotKnownIsAnEmptyField) {
    GraphLine none = line_of(GraphFunction::maximum, "turnaround_ns");
    none.filter = "turnaround_ns < 0ns";
    const GraphPicture picture = picture_of({none}, whole(), 1'000 * ms);
    StringSink sink;
    ASSERT_TRUE(write_graph_csv(picture, whole(), sink));
    EXPECT_THAT(sink.text, testing::HasSubstr("\n0.000000000,\n"));
}

}  // namespace
}  // namespace sanscope
