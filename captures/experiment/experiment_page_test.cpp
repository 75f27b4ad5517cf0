// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/experiment_page.h"

#include <gmock/gmock.h>

#include "captures/experiment/experiment_runner.h"

namespace sanscope::lab {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Experiment experiment{
    .name = "test",
    .title = "Reads & more",
    .method = "As it is done.",
    .departures = {{"Memory", "There is no disk."}},
    .publication = {.claims = {{.where = "§1",
                                .statement = "Twice as fast",
                                .measure = Measure::bytes_per_second,
                                .subject = {{"delay_ms", {"1"}}},
                                .reference = {{"delay_ms", {"2"}}},
                                .least = 2}}},
    .sweeps = {{{{"delay_ms"}, {"1", "4"}}, {{"pdu_bytes"}, {"32K"}}}, {{{"load"}, {"socket"}}}},
    .measured = {Measure::bytes_per_second},
};

std::vector<ResultRow> rows() {
    std::vector<ResultRow> all(2);
    all[0].settings.delay_ms = 1;
    all[1].settings.delay_ms = 4;
    all[0].measured[0] = Spread{2e6, 1e6, 3e6, 3};
    return all;
}

TEST(ExperimentPage, HoldsFigureTableSettingsAndMachine) {
    const auto all = rows();
    const MachineFacts machine{{"processors", "2 × <fast>"}};
    RunRecord record;
    record.link = "delay_node";
    const std::string page = experiment_page({.experiment = experiment,
                                              .rows = all,
                                              .records = {record},
                                              .repetitions = 3,
                                              .seconds = 2,
                                              .figure = "<?xml version=\"1.0\"?>\n<svg>drawing</svg>",
                                              .left_out = {"fair is left out"},
                                              .machine = machine});
    EXPECT_THAT(page, HasSubstr("<h1>Reads &amp; more</h1>"));
    EXPECT_THAT(page, HasSubstr("<svg>drawing</svg>"));
    EXPECT_THAT(page, Not(HasSubstr("<?xml")));
    EXPECT_THAT(page, HasSubstr("2.00 (1.00 … 3.00)"));
    EXPECT_THAT(page, HasSubstr("<dt>one-way delay, ms</dt><dd>1, 4</dd>"));
    EXPECT_THAT(page, HasSubstr("delay_node"));
    EXPECT_THAT(page, HasSubstr("2 × &lt;fast&gt;"));
    EXPECT_THAT(page, HasSubstr("<p>fair is left out</p>"));
    EXPECT_THAT(page, HasSubstr("Twice as fast (§1)</dt><dd>not measured"));
    EXPECT_THAT(page, HasSubstr("<dt>Memory</dt><dd>There is no disk.</dd>"));
}

TEST(MachineFacts, NameTheKernelAndTheVersion) {
    const MachineFacts facts = machine_facts("1.2.3");
    EXPECT_THAT(facts, ::testing::Contains(std::pair<std::string, std::string>("sanscope", "1.2.3")));
    EXPECT_THAT(facts, ::testing::Contains(::testing::Pair("kernel", HasSubstr("Linux"))));
}

TEST(LeaveOut, TakesOutRunsWhoseCongestionControlTheKernelDoesNotHave) {
    std::vector<PlannedRun> remaining(4);
    remaining[0].settings.congestion_control = "reno";
    remaining[1].settings.congestion_control = "fair";
    remaining[2].settings.congestion_control = "fair";
    remaining[3].settings.congestion_control = "bbr";
    const auto sentences = leave_out(remaining, "reno cubic");
    ASSERT_THAT(remaining, ::testing::SizeIs(1));
    EXPECT_EQ(remaining[0].settings.congestion_control, "reno");
    ASSERT_THAT(sentences, ::testing::SizeIs(2));
    EXPECT_THAT(sentences[0], HasSubstr("bbr"));
    EXPECT_THAT(sentences[0], HasSubstr("1 run is left out"));
    EXPECT_THAT(sentences[1], HasSubstr("2 runs are left out"));
    EXPECT_THAT(sentences[1], HasSubstr("sanscope fair-tcp start"));
    EXPECT_THAT(leave_out(remaining, "reno cubic"), ::testing::IsEmpty());
    EXPECT_THAT(leave_out(remaining, ""), ::testing::IsEmpty()) << "where it cannot be known, it is tried";
}

TEST(DryRun, TellsEachRunAndHowLongAllTakes) {
    const auto settings = settings_of(experiment, {});
    ASSERT_TRUE(settings) << settings.error().message;
    const ChosenExperiment chosen{experiment, *settings, 2, 3};
    const auto plan = chosen.plan();
    const std::string text = dry_run_text(chosen, plan, 0, false);
    EXPECT_THAT(text, HasSubstr("repetition 1  iSCSI, 4 ms, 32 KiB\n"));
    EXPECT_THAT(text, HasSubstr("repetition 2  plain socket, 0 ms\n"));
    EXPECT_THAT(text, HasSubstr("test: 6 runs of 3 s; about 25 s\n"));
    EXPECT_THAT(dry_run_text(chosen, {plan[0]}, 5, false), HasSubstr("1 runs of 3 s, 5 of 6 are done"));
}

}  // namespace
}  // namespace sanscope::lab
