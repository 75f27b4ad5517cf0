// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/chosen_experiment.h"

#include <gmock/gmock.h>

namespace sanscope::lab {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST(ChosenExperiment, HasTheExperimentsOwnWhereNothingElseIsWished) {
    const auto chosen = choose({.name = "oguchi-fig6-7"});
    ASSERT_TRUE(chosen) << chosen.error().message;
    EXPECT_EQ(chosen->repetitions, chosen->experiment.repetitions);
    EXPECT_EQ(chosen->seconds, chosen->experiment.seconds);
    EXPECT_THAT(chosen->plan(), SizeIs(chosen->settings.size() * chosen->repetitions));
}

TEST(ChosenExperiment, HasWhatIsWished) {
    const auto chosen = choose({.name = "oguchi-fig6-7",
                                .set = {"delay_ms=0,7", "pdu_bytes=3M"},
                                .only = {"load=iscsi", "operation=read", "queue_depth=1"},
                                .repetitions = 2,
                                .seconds = 1.5});
    ASSERT_TRUE(chosen) << chosen.error().message;
    EXPECT_THAT(chosen->settings, SizeIs(2));
    EXPECT_THAT(chosen->plan(), SizeIs(4));
    EXPECT_EQ(chosen->seconds, 1.5);
    EXPECT_EQ(run_label(chosen->experiment, chosen->settings[1]), "iSCSI, reads, 7 ms, 3 MiB, depth 1");
}

TEST(ChosenExperiment, SaysWhichWishCannotBe) {
    const auto why = [](const Wishes& wishes) {
        const auto chosen = choose(wishes);
        return chosen ? std::string("it can be") : chosen.error().message;
    };
    EXPECT_EQ(why({.name = "none"}), "'none' is no experiment");
    EXPECT_THAT(why({.name = "oguchi-fig6-7", .set = {"mtu=1"}}), StartsWith("--set: 'mtu' cannot be '1'"));
    EXPECT_THAT(why({.name = "oguchi-fig6-7", .set = {"mtu=600", "mtu=700"}}), StartsWith("--set: "));
    EXPECT_THAT(why({.name = "oguchi-fig6-7", .only = {"colour=red"}}), StartsWith("--only: "));
    EXPECT_THAT(why({.name = "oguchi-fig6-7", .only = {"delay_ms=77"}}), StartsWith("--only: no run"));
    EXPECT_THAT(why({.name = "oguchi-fig6-7", .repetitions = 4'000'000'000}),
                HasSubstr("more than 1000000 runs"));
}

TEST(ChosenExperiment, TellsHowManyRunsAreToComeAndHowLongTheyTake) {
    const auto chosen = choose({.name = "oguchi-fig6-7",
                                .only = {"load=socket", "operation=read", "delay_ms=0,1"},
                                .repetitions = 1,
                                .seconds = 1});
    ASSERT_TRUE(chosen);
    EXPECT_EQ(plan_sentence(*chosen, 2, 0, false), "oguchi-fig6-7: 2 runs of 1 s; about 4 s");
    EXPECT_EQ(plan_sentence(*chosen, 1, 1, false),
              "oguchi-fig6-7: 1 runs of 1 s, 1 of 2 are done; about 2 s");
    EXPECT_EQ(plan_sentence(*chosen, 2, 0, true), "oguchi-fig6-7: 2 runs of 1 s; about 8 s");
    EXPECT_EQ(plan_sentence(*chosen, 1, 0, false), "oguchi-fig6-7: 1 runs of 1 s; about 2 s")
        << "one that is left out is not done";
    EXPECT_THAT(dry_run_text(*chosen, chosen->plan(), 0, false),
                EndsWith("oguchi-fig6-7: 2 runs of 1 s; about 4 s\n"));
}

TEST(ChosenExperiment, TellsDurationsInWholeMinutesFromTwoOn) {
    EXPECT_EQ(duration_text(119), "119 s");
    EXPECT_EQ(duration_text(121), "3 min");
}

}  // namespace
}  // namespace sanscope::lab
