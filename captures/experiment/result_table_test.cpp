// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/result_table.h"

#include <gmock/gmock.h>

#include "captures/experiment/figure.h"

namespace sanscope::lab {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(SpreadOf, TheMedianIsInTheMiddle) {
    EXPECT_FALSE(spread_of({}));
    EXPECT_EQ(spread_of({7})->median, 7);
    const auto odd = spread_of({9, 1, 2});
    EXPECT_EQ(odd->median, 2);
    EXPECT_EQ(odd->lowest, 1);
    EXPECT_EQ(odd->highest, 9);
    EXPECT_EQ(odd->count, 3u);
    EXPECT_EQ(spread_of({4, 1, 2, 100})->median, 3);
}

struct Results {
    Experiment experiment{
        .name = "test",
        .title = "Test",
        .source = {},
        .method = {},
        .measured = {Measure::bytes_per_second},
        .drawings = {{.title = "T", .x = "delay_ms", .lines = {"pdu_bytes"}},
                     {.title = "U", .x = "pdu_bytes", .lines = {"delay_ms"}, .with_sockets = false}}};
    std::vector<RunSettings> settings;
    std::vector<RunRecord> records;

    Results() {
        for (const double delay : {4.0, 1.0}) {
            for (const uint64_t pdu : {32768u, 65536u, 0u}) {
                RunSettings& one = settings.emplace_back();
                one.delay_ms = delay;
                one.pdu_bytes = pdu;
                if (pdu == 0) one.load = Load::socket;
                for (const unsigned repetition : {1u, 2u, 3u}) {
                    RunRecord& record = records.emplace_back();
                    record.run = {one, repetition};
                    record.seconds = 3;
                    record.measured[Measure::bytes_per_second] = repetition * 1e6;
                }
            }
        }
    }
};

TEST(ResultTable, HasARowForEachOfTheSettings) {
    const Results results;
    const auto rows = summarise(results.settings, results.records, 3);
    ASSERT_THAT(rows, SizeIs(6));
    EXPECT_EQ(rows[0][Measure::bytes_per_second]->median, 2e6);
    EXPECT_FALSE(rows[0][Measure::retransmissions]);
    EXPECT_THAT(summarise(results.settings, results.records, 4), SizeIs(0));
}

TEST(ResultTable, PeopleSeeWhatDiffersAndTheSpread) {
    const Results results;
    const std::string table =
        table_markdown(results.experiment, summarise(results.settings, results.records, 3));
    EXPECT_THAT(table, HasSubstr("| load | one-way delay, ms | PDU size, bytes | throughput, MB/s |\n"));
    EXPECT_THAT(table, HasSubstr("| iscsi | 4 | 32768 | 2.00 (1.00 … 3.00) |\n"));
    EXPECT_THAT(table, HasSubstr("| socket | 4 | – | 2.00 (1.00 … 3.00) |\n"));
}

TEST(ResultTable, ProgramsSeeAllInBaseUnits) {
    const Results results;
    const std::string table = table_csv(results.experiment, summarise(results.settings, results.records, 3));
    EXPECT_THAT(table,
                HasSubstr("repetitions,bytes_per_second,bytes_per_second_lowest,bytes_per_second_highest\n"));
    EXPECT_THAT(table, HasSubstr(",3,2000000,1000000,3000000\n"));
}

TEST(Figure, HasALineForEachSizeAndThePlainSocket) {
    const Results results;
    const auto panels = figure_panels(results.experiment, summarise(results.settings, results.records, 3));
    ASSERT_THAT(panels, SizeIs(2));
    ASSERT_THAT(panels[0].lines, SizeIs(3));
    EXPECT_EQ(panels[0].lines[0].label, "32 KiB");
    EXPECT_EQ(panels[0].lines[2].label, "plain socket");
    EXPECT_TRUE(panels[0].lines[2].reference);
    ASSERT_THAT(panels[0].lines[0].points, SizeIs(2));
    EXPECT_EQ(panels[0].lines[0].points[0].x, 1) << "in order of x";
    EXPECT_EQ(panels[0].lines[0].points[0].y, 2);
    EXPECT_EQ(panels[0].lines[0].points[0].highest, 3);
    EXPECT_EQ(panels[0].lines[0].points[0].row, 3u) << "1 ms and 32 KiB";
    EXPECT_EQ(panels[0].lines[0].points[1].row, 0u) << "4 ms and 32 KiB";
    ASSERT_THAT(panels[1].lines, SizeIs(2)) << "a plain socket has no PDUs";
    EXPECT_EQ(panels[1].lines[0].label, "4 ms");
}

TEST(Figure, ABlastIsALevelLineAgainstWhatItDoesNotHave) {
    Results results;
    for (const double rate : {50.0, 90.0}) {
        RunSettings& blast = results.settings.emplace_back();
        blast.load = Load::blast;
        blast.delay_ms = 4;
        blast.blast_mbit = rate;
        RunRecord& record = results.records.emplace_back();
        record.run.settings = blast;
        record.seconds = 3;
        record.measured[Measure::bytes_per_second] = rate * 1e5;
    }
    results.experiment.drawings = {
        {.title = "T",
         .x = "pdu_bytes",
         .lines = {"blast_mbit"},
         .only = {{"delay_ms", "4"}, {"load", "iscsi"}}},
        {.title = "U", .x = "pdu_bytes", .lines = {"blast_mbit"}, .only = {{"delay_ms", "4"}}},
        {.title = "V", .x = "pdu_bytes", .lines = {}, .with_sockets = false}};
    for (RunSettings& one : results.settings) {
        if (one.load == Load::socket) one.delay_ms = 9;
    }
    const auto panels = figure_panels(results.experiment, summarise(results.settings, results.records, 3));
    EXPECT_THAT(panels[0].lines, SizeIs(1));
    ASSERT_THAT(panels[1].lines, SizeIs(3));
    EXPECT_EQ(panels[1].lines[2].label, "UDP blast, blast of 90 Mbit/s");
    ASSERT_THAT(panels[1].lines[2].points, SizeIs(2));
    EXPECT_EQ(panels[1].lines[2].points[0].x, 32768);
    EXPECT_EQ(panels[1].lines[2].points[1].x, 65536);
    EXPECT_EQ(panels[1].lines[2].points[1].y, 9);
    for (const ChartLine& line : panels[2].lines) EXPECT_EQ(line.label, "");
}

TEST(Figure, LeavesOutWhatOnlyOtherSweepsVary) {
    Results results;
    RunSettings other = results.settings.front();
    other.pdu_bytes = 1u << 20;
    results.settings.push_back(other);
    RunRecord record = results.records.front();
    record.run.settings = other;
    results.records.push_back(record);
    const auto panels = figure_panels(results.experiment, summarise(results.settings, results.records, 3));
    ASSERT_THAT(panels[0].lines, SizeIs(3)) << "one point of 1 MiB is no line";
    EXPECT_THAT(panels[1].lines[0].points, SizeIs(3)) << "where it varies it is drawn";
    const auto begun = figure_panels(results.experiment, summarise(results.settings, results.records, 3),
                                     SinglePoints::drawn);
    EXPECT_THAT(begun[0].lines, SizeIs(4)) << "while runs are to come, it may go on";
}

TEST(Figure, NothingIsNoPlaceOnALogarithmicAxis) {
    Results results;
    for (RunSettings& one : results.settings) one.loss_percent = one.delay_ms == 4.0 ? 0 : 0.1;
    for (RunRecord& one : results.records)
        one.run.settings.loss_percent = one.run.settings.delay_ms == 4.0 ? 0 : 0.1;
    results.experiment.drawings = {{.title = "T",
                                    .x = "loss_percent",
                                    .x_axis = Drawing::Axis::logarithmic,
                                    .lines = {"delay_ms", "pdu_bytes"}}};
    const auto panels = figure_panels(results.experiment, summarise(results.settings, results.records, 3));
    EXPECT_THAT(panels[0].lines, SizeIs(3)) << "those of 1 ms";
}

}  // namespace
}  // namespace sanscope::lab
