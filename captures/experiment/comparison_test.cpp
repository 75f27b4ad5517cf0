// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/experiment/comparison.h"

#include <gmock/gmock.h>

#include "captures/experiment/experiment.h"
#include "captures/experiment/run_plan.h"

namespace sanscope::lab {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ResultRow row(double delay_ms, const char* control, double bytes_per_second) {
    ResultRow one;
    one.settings.delay_ms = delay_ms;
    one.settings.congestion_control = control;
    one.measured[static_cast<size_t>(Measure::bytes_per_second)] =
        Spread{bytes_per_second, bytes_per_second, bytes_per_second, 3};
    return one;
}

Claim faster() {
    return {.where = "§4",
            .statement = "Cubic is faster",
            .measure = Measure::bytes_per_second,
            .subject = {{"congestion_control", {"cubic"}}},
            .reference = {{"congestion_control", {"reno"}}},
            .least = 1.1,
            .share = 0.5};
}

TEST(Judge, ComparesRunsThatDifferInNothingElse) {
    const auto judgement = judge(faster(), {row(1, "reno", 10), row(2, "reno", 10), row(1, "cubic", 12),
                                            row(2, "cubic", 9), row(3, "cubic", 100)});
    EXPECT_EQ(judgement.pairs, 2u) << "there is no reno at 3 ms";
    EXPECT_EQ(judgement.within, 1u);
    EXPECT_EQ(judgement.verdict, Judgement::Verdict::holds) << "half of them is enough";
    EXPECT_DOUBLE_EQ(judgement.lowest, 0.9);
    EXPECT_DOUBLE_EQ(judgement.highest, 1.2);
    EXPECT_EQ(judgement_text(judgement), "holds: in 1 of 2 pairs; the ratio is 1.05 (0.90 … 1.20)");
}

TEST(Judge, AClaimThatTheRunsContradictDoesNotHold) {
    const auto judgement = judge(faster(), {row(1, "reno", 10), row(1, "cubic", 10.5)});
    EXPECT_EQ(judgement.verdict, Judgement::Verdict::does_not_hold);
    EXPECT_THAT(judgement_text(judgement), HasSubstr("does not hold: in 0 of 1 pair;"));
}

TEST(Judge, WithoutAPairNothingIsMeasured) {
    EXPECT_EQ(judge(faster(), {}).verdict, Judgement::Verdict::not_measured);
    EXPECT_EQ(judgement_text(judge(faster(), {row(1, "cubic", 12)})), "not measured");
    EXPECT_EQ(judge(faster(), {row(1, "cubic", 12), row(2, "reno", 12)}).verdict,
              Judgement::Verdict::not_measured);
}

TEST(Judge, OnlyTheRunsOfAClaimCount) {
    Claim claim = faster();
    claim.among = {{"delay_ms", {"2", "3"}}};
    const auto judgement =
        judge(claim, {row(1, "reno", 1), row(1, "cubic", 2), row(2, "reno", 2), row(2, "cubic", 1)});
    EXPECT_EQ(judgement.pairs, 1u);
    EXPECT_EQ(judgement.verdict, Judgement::Verdict::does_not_hold);
}

TEST(Judge, APlainSocketIsComparedWhateverThePduSize) {
    ResultRow iscsi = row(1, "cubic", 5);
    iscsi.settings.pdu_bytes = 4096;
    ResultRow socket = row(1, "cubic", 10);
    socket.settings.load = Load::socket;
    const Claim claim{.where = {},
                      .statement = {},
                      .measure = Measure::bytes_per_second,
                      .subject = {{"load", {"iscsi"}}},
                      .reference = {{"load", {"socket"}}},
                      .most = 0.6};
    EXPECT_EQ(judge(claim, {iscsi, socket}).verdict, Judgement::Verdict::holds);
}

TEST(RuleText, SaysWhatIsComparedWithWhat) {
    Claim claim = faster();
    claim.among = {{"delay_ms", {"2", "3"}}};
    EXPECT_EQ(
        rule_text(claim),
        "Holds where, in at least 50 % of the pairs of runs of 2 ms or 3 ms that differ in nothing else, "
        "throughput, MB/s with cubic is at least 1.1 times that with reno.");
    claim.least = 0;
    claim.most = 0.9;
    EXPECT_THAT(rule_text(claim), HasSubstr("is at most 0.9 times that"));
    claim.least = 0.8;
    EXPECT_THAT(rule_text(claim), HasSubstr("is from 0.8 to 0.9 times that"));
}

TEST(PublishedValues, StandBesideTheRunsThatStandForThem) {
    const Publication publication{.values = {{.where = "table 1",
                                              .printed = "4 MB/s",
                                              .settings = {{"delay_ms", {"1"}}},
                                              .measure = Measure::bytes_per_second,
                                              .value = 4e6},
                                             {.where = "table 2",
                                              .printed = "5 MB/s",
                                              .settings = {{"delay_ms", {"9"}}},
                                              .measure = Measure::bytes_per_second,
                                              .value = 5e6}},
                                  .claims = {faster()}};
    const std::vector<ResultRow> rows{row(1, "cubic", 6e6)};
    const std::string text = published_values_html(publication, rows);
    EXPECT_THAT(text, HasSubstr("<td>4 MB/s</td><td>4.00</td><td>6.00</td><td>1.50</td>"));
    EXPECT_THAT(text, HasSubstr("<td>5 MB/s</td><td>5.00</td><td>not measured</td><td>–</td>"));
    EXPECT_THAT(claims_html(publication, rows), HasSubstr("Cubic is faster (§4)</dt><dd>not measured"));
    EXPECT_EQ(published_values_html({}, rows), "");
    EXPECT_EQ(claims_html({}, rows), "");
}

TEST(Publications, EachNumberAndClaimIsOfRunsThatItsExperimentMakes) {
    for (const Experiment& experiment : experiments()) {
        SCOPED_TRACE(experiment.name);
        EXPECT_FALSE(experiment.publication.claims.empty());
        EXPECT_FALSE(experiment.departures.empty());
        const auto settings = settings_of(experiment, {});
        ASSERT_TRUE(settings) << settings.error().message;
        std::vector<ResultRow> rows(settings->size());
        for (size_t i = 0; i < rows.size(); ++i) {
            rows[i].settings = (*settings)[i];
            for (const Measure measure : experiment.measured)
                rows[i].measured[static_cast<size_t>(measure)] = Spread{1, 1, 1, 1};
        }
        for (const PublishedValue& value : experiment.publication.values) {
            const auto standing_for_it = std::ranges::count_if(
                rows, [&](const ResultRow& one) { return fulfil(one.settings, value.settings); });
            EXPECT_EQ(standing_for_it, 1) << value.where << ' ' << value.printed;
            EXPECT_THAT(experiment.measured, ::testing::Contains(value.measure)) << value.where;
        }
        for (const Claim& claim : experiment.publication.claims) {
            EXPECT_NE(judge(claim, rows).verdict, Judgement::Verdict::not_measured) << claim.statement;
            EXPECT_THAT(rule_text(claim), Not(HasSubstr("with  is"))) << claim.statement;
        }
    }
}

}  // namespace
}  // namespace sanscope::lab
