// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/run_plan.h"

#include <algorithm>
#include <gmock/gmock.h>

namespace sanscope::lab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

Experiment of(std::vector<std::vector<Factor>> sweeps) {
    return {.name = "test",
            .title = {},
            .source = {},
            .method = {},
            .sweeps = std::move(sweeps),
            .measured = {},
            .drawings = {}};
}

std::vector<std::string> texts(const std::vector<RunSettings>& settings, std::string_view column) {
    std::vector<std::string> all;
    for (const RunSettings& one : settings) all.push_back(find_setting(column)->text(one));
    return all;
}

TEST(RunPlan, MakesEveryCombinationInOrder) {
    const auto settings = settings_of(of({{{{"delay_ms"}, {"0", "2"}}, {{"connections"}, {"1", "4"}}}}), {});
    ASSERT_TRUE(settings);
    EXPECT_THAT(texts(*settings, "delay_ms"), ElementsAre("0", "0", "2", "2"));
    EXPECT_THAT(texts(*settings, "connections"), ElementsAre("1", "4", "1", "4"));
}

TEST(RunPlan, SetsSeveralSettingsToTheSameValue) {
    const auto settings = settings_of(of({{{{"pdu_bytes", "request_bytes"}, {"32K", "1M"}}}}), {});
    ASSERT_TRUE(settings);
    EXPECT_THAT(texts(*settings, "pdu_bytes"), ElementsAre("32768", "1048576"));
    EXPECT_THAT(texts(*settings, "request_bytes"), ElementsAre("32768", "1048576"));
}

TEST(RunPlan, KeepsWhatTwoSweepsShareOnce) {
    const auto settings = settings_of(of({{{{"delay_ms"}, {"0", "1"}}}, {{{"delay_ms"}, {"1", "2"}}}}), {});
    ASSERT_TRUE(settings);
    EXPECT_THAT(texts(*settings, "delay_ms"), ElementsAre("0", "1", "2"));
}

TEST(RunPlan, TakesOnlyWhatIsSelected) {
    const auto selected = parse_selection("pdu_bytes=32K,1048576");
    ASSERT_TRUE(selected) << selected.error().message;
    const auto settings = settings_of(of({{{{"pdu_bytes"}, {"32K", "64K", "1M"}}}}), {*selected});
    ASSERT_TRUE(settings);
    EXPECT_THAT(texts(*settings, "pdu_bytes"), ElementsAre("32768", "1048576"));
}

TEST(RunPlan, KeepsPlainSocketsWhenPduSizesAreSelected) {
    const auto selected = parse_selection("pdu_bytes=32K");
    ASSERT_TRUE(selected);
    const auto settings =
        settings_of(of({{{{"pdu_bytes"}, {"32K", "64K"}}}, {{{"load"}, {"socket"}}}}), {*selected});
    ASSERT_TRUE(settings);
    EXPECT_THAT(texts(*settings, "load"), ElementsAre("iscsi", "socket"));
}

TEST(RunPlan, TellsWhatIsNoSelection) {
    for (const auto* const text : {"", "pdu_bytes", "size=3", "delay_ms=", "delay_ms=x", "delay_ms=1,,2"})
        EXPECT_FALSE(parse_selection(text)) << text;
}

Selection selection(std::string_view text) {
    auto parsed = parse_selection(text);
    EXPECT_TRUE(parsed) << parsed.error().message;
    return *parsed;
}

std::vector<RunSettings> settings_with(const Experiment& experiment, const std::vector<Selection>& given) {
    const auto changed = with_values(experiment, given);
    EXPECT_TRUE(changed) << changed.error().message;
    const auto settings = settings_of(*changed, {});
    EXPECT_TRUE(settings) << settings.error().message;
    return *settings;
}

TEST(RunPlan, TellsWhatASettingTakes) {
    const auto negative = parse_selection("delay_ms=7,-1");
    ASSERT_FALSE(negative);
    EXPECT_EQ(negative.error().message, "'delay_ms' cannot be '-1'; it takes a number from 0 to 10000");
    const auto operation = parse_selection("operation=erase");
    ASSERT_FALSE(operation);
    EXPECT_THAT(operation.error().message, HasSubstr("read or write"));
}

TEST(WithValues, TakesValuesThatTheExperimentDoesNotHave) {
    const auto settings = settings_with(of({{{{"delay_ms"}, {"0", "1"}}, {{"connections"}, {"1", "4"}}}}),
                                        {selection("delay_ms=0,7.5")});
    EXPECT_THAT(texts(settings, "delay_ms"), ElementsAre("0", "0", "7.5", "7.5"));
    EXPECT_THAT(texts(settings, "connections"), ElementsAre("1", "4", "1", "4"));
}

TEST(WithValues, SweepsOverASettingThatTheExperimentDoesNotVary) {
    const auto settings =
        settings_with(of({{{{"delay_ms"}, {"0", "1"}}}}), {selection("operation=read,write")});
    EXPECT_THAT(texts(settings, "operation"), ElementsAre("read", "write", "read", "write"));
}

TEST(WithValues, KeepsTogetherWhatHasTheSameValueUnlessEachIsGiven) {
    const Experiment experiment = of({{{{"pdu_bytes", "request_bytes"}, {"32K", "1M"}}}});
    const auto together = settings_with(experiment, {selection("pdu_bytes=3M")});
    EXPECT_THAT(texts(together, "pdu_bytes"), ElementsAre("3145728"));
    EXPECT_THAT(texts(together, "request_bytes"), ElementsAre("3145728"));
    const auto apart =
        settings_with(experiment, {selection("pdu_bytes=3M"), selection("request_bytes=1M,4M")});
    EXPECT_THAT(texts(apart, "pdu_bytes"), ElementsAre("3145728", "3145728"));
    EXPECT_THAT(texts(apart, "request_bytes"), ElementsAre("1048576", "4194304"));
}

TEST(WithValues, TheFigureShowsThem) {
    Experiment experiment = of({{{{"delay_ms"}, {"0"}}, {{"queue_depth"}, {"1"}}}});
    experiment.drawings = {{.x = "delay_ms", .lines = {}, .only = {{"queue_depth", "1"}}}};
    const auto changed = with_values(experiment, {selection("queue_depth=3,5")});
    ASSERT_TRUE(changed);
    EXPECT_TRUE(changed->drawings[0].only.empty());
    EXPECT_THAT(changed->drawings[0].lines, ElementsAre("queue_depth"));
}

TEST(WithValues, RefusesASettingThatIsGivenTwice) {
    const auto twice = with_values(of({{}}), {selection("delay_ms=1"), selection("delay_ms=2")});
    ASSERT_FALSE(twice);
    EXPECT_EQ(twice.error().message, "'delay_ms' is given twice");
}

TEST(WithValues, MoreConnectionsThanASessionHasAreForPlainSocketsAlone) {
    const Experiment experiment = of({{{{"load"}, {"socket", "iscsi"}}}});
    const auto changed = with_values(experiment, {selection("connections=65")});
    ASSERT_TRUE(changed);
    const auto both = settings_of(*changed, {});
    ASSERT_FALSE(both);
    EXPECT_THAT(both.error().message, HasSubstr("64 at most"));
    EXPECT_TRUE(settings_of(*changed, {selection("load=socket")}));
}

TEST(RunPlan, TellsWhichFactorIsWrong) {
    const auto settings = settings_of(of({{{{"mtu"}, {"large"}}}}), {});
    ASSERT_FALSE(settings);
    EXPECT_THAT(settings.error().message, HasSubstr("'mtu' cannot be large"));
}

TEST(RunPlan, InterleavesRepetitions) {
    std::vector<RunSettings> settings(20);
    for (size_t i = 0; i < settings.size(); ++i) settings[i].delay_ms = static_cast<double>(i);
    const auto plan = plan_runs(settings, 3);
    ASSERT_THAT(plan, SizeIs(60));
    std::vector<std::vector<double>> orders(3);
    for (size_t i = 0; i < plan.size(); ++i) {
        EXPECT_EQ(plan[i].repetition, i / 20 + 1);
        orders[i / 20].push_back(plan[i].settings.delay_ms);
    }
    EXPECT_NE(orders[0], orders[1]);
    EXPECT_NE(orders[1], orders[2]);
    for (std::vector<double>& order : orders) {
        EXPECT_FALSE(std::ranges::is_sorted(order));
        std::ranges::sort(order);
        for (size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], static_cast<double>(i));
    }
    EXPECT_EQ(plan, plan_runs(settings, 3));
}

TEST(RunPlan, EstimatesMoreTimeThanTheLoadsAlone) {
    EXPECT_EQ(estimated_seconds(0, 3, true), 0);
    EXPECT_GT(estimated_seconds(10, 3, false), 30);
    EXPECT_GT(estimated_seconds(10, 3, true), estimated_seconds(10, 3, false));
}

TEST(RunPlan, RefusesMoreCombinationsThanAnybodyCouldRun) {
    std::vector<std::string> hundred;
    for (int i = 1; i <= 100; ++i) hundred.push_back(std::to_string(i));
    const Factor delays{{"delay_ms"}, hundred};
    const Factor losses{{"loss_percent"}, hundred};
    const Factor jitter{{"jitter_percent"}, hundred};
    EXPECT_TRUE(settings_of(of({{delays, losses}}), {}));
    const auto refused = settings_of(of({{delays, losses, jitter}}), {});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("more than 100000 combinations"));
}

}  // namespace
}  // namespace sanscope::lab
