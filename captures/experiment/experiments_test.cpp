// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <gmock/gmock.h>
#include <set>
#include <string>
#include <vector>

#include "captures/experiment/comparison.h"
#include "captures/experiment/experiment.h"
#include "captures/experiment/result_table.h"
#include "captures/experiment/run_plan.h"

namespace sanscope::lab {
namespace {

using ::testing::Contains;
using ::testing::SizeIs;

TEST(Experiments, EachIsWhole) {
    std::set<std::string_view> names;
    for (const Experiment& experiment : experiments()) {
        SCOPED_TRACE(experiment.name);
        EXPECT_TRUE(names.insert(experiment.name).second);
        const auto settings = settings_of(experiment, {});
        ASSERT_TRUE(settings) << settings.error().message;
        EXPECT_GT(settings->size(), 10u);
        EXPECT_GE(experiment.repetitions, 3u);
        ASSERT_FALSE(experiment.drawings.empty());
        for (const Drawing& drawing : experiment.drawings) {
            EXPECT_NE(find_setting(drawing.x), nullptr);
            EXPECT_THAT(experiment.measured, Contains(drawing.y));
            for (const std::string_view line : drawing.lines) EXPECT_NE(find_setting(line), nullptr);
            for (const auto& [name, value] : drawing.only) {
                RunSettings some;
                const SettingColumn* const column = find_setting(name);
                ASSERT_NE(column, nullptr);
                EXPECT_TRUE(column->set(some, value));
            }
        }
    }
}

TEST(Experiments, OguchiHasSixDelaysNineSizesOneOfThemEightAtOnceThePlainSocketAndWrites) {
    const Experiment* const experiment = find_experiment("oguchi-fig6-7");
    ASSERT_NE(experiment, nullptr);
    const auto settings = settings_of(*experiment, {});
    ASSERT_TRUE(settings);
    EXPECT_THAT(*settings, SizeIs(6 * 9 + 6 + 6 + 6 * 2 + 6));
    for (const RunSettings& one : *settings) {
        if (one.load == Load::socket) continue;
        EXPECT_EQ(one.pdu_bytes, one.request_bytes);
        EXPECT_TRUE(one.queue_depth == 1 || (one.queue_depth == 8 && one.pdu_bytes == 1u << 20));
        EXPECT_LT(one.pdu_bytes, 1u << 24);
    }
}

TEST(Experiments, BiancoHasEachLoadOfOtherTrafficWithAndWithoutPriority) {
    const auto settings = settings_of(*find_experiment("bianco-fig3-7"), {});
    ASSERT_TRUE(settings);
    std::set<std::string> without;
    std::set<std::string> with;
    for (RunSettings one : *settings) {
        if (one.queue_frames != 200) continue;
        auto& kind = one.priority == Priority::storage ? with : without;
        one.priority = Priority::none;
        kind.insert(settings_text(one));
    }
    EXPECT_THAT(with, SizeIs(2 * 5 * 2));
    EXPECT_EQ(with, without);
}

TEST(Experiments, ZhuHasABlastBelowAndAboveTheRateOfTheLink) {
    const auto settings = settings_of(*find_experiment("zhu-fig3-14"), {});
    ASSERT_TRUE(settings);
    size_t below = 0;
    size_t above = 0;
    for (const RunSettings& one : *settings) {
        if (one.load == Load::blast) ++(one.blast_mbit < one.rate_mbit ? below : above);
    }
    EXPECT_EQ(below, 2u * 2 * 2);
    EXPECT_EQ(above, 2u * 2);
}

// A rule whose pairs no plan has would be told as "not measured" for ever.
TEST(Experiments, EachConclusionComparesRunsThatThePlanHas) {
    for (const Experiment& experiment : experiments()) {
        const auto settings = settings_of(experiment, {});
        ASSERT_TRUE(settings);
        std::vector<ResultRow> rows;
        for (const RunSettings& one : *settings) {
            ResultRow& row = rows.emplace_back();
            row.settings = one;
            for (auto& measured : row.measured) measured = spread_of({1});
        }
        for (const Claim& claim : experiment.publication.claims) {
            EXPECT_GT(judge(claim, rows).pairs, 0u)
                << experiment.name << ", " << claim.where << ": " << claim.statement;
        }
        for (const PublishedValue& value : experiment.publication.values) {
            EXPECT_TRUE(std::ranges::any_of(
                *settings, [&](const RunSettings& one) { return fulfil(one, value.settings); }))
                << experiment.name << ", " << value.where << ": " << value.printed;
        }
    }
}

TEST(Experiments, UnknownIsNull) {
    EXPECT_EQ(find_experiment("oguchi"), nullptr);
    for (const char* const former : {"kancharla-tab5-7", "bianco-fig4-6", "zhu-tab"})
        EXPECT_NE(find_experiment(former), nullptr) << former;
}

}  // namespace
}  // namespace sanscope::lab
