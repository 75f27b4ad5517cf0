// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <set>

#include "captures/experiment/experiment.h"
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

TEST(Experiments, UnknownIsNull) {
    EXPECT_EQ(find_experiment("oguchi"), nullptr);
    for (const char* const former : {"kancharla-tab5-7", "bianco-fig4-6", "zhu-tab"})
        EXPECT_NE(find_experiment(former), nullptr) << former;
}

}  // namespace
}  // namespace sanscope::lab
