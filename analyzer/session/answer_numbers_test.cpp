// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/answer_numbers.h"

#include <gtest/gtest.h>

#include "analyzer/iscsi/testing/pdu_builder.h"

namespace sanscope {
namespace {

using test::Bytes;

constexpr uint64_t latest_at = 1'000'000;  // the latest answer that surely is one: at this offset …
constexpr uint32_t latest_stat_sn = 5000;  // … and with these numbers
constexpr uint32_t latest_exp_cmd_sn = 9000;
constexpr uint32_t latest_window = 32;

Bytes response(uint32_t stat, uint32_t exp, uint32_t max) {
    return test::scsi_response(1, 0, stat, exp).max_cmd_sn(max).header();
}

struct Numbers {
    uint32_t stat = latest_stat_sn + 1;
    uint32_t exp = latest_exp_cmd_sn + 1;
    uint32_t window = latest_window;
    uint64_t behind = bhs_length;  // bytes
    AnswerNumbers::Requested requested = {};
};

bool admits(const Numbers& n) {
    AnswerNumbers numbers;
    const Bytes sure = response(latest_stat_sn, latest_exp_cmd_sn, latest_exp_cmd_sn + latest_window);
    numbers.note(Bhs(sure.data()), latest_at);
    const Bytes next = response(n.stat, n.exp, n.exp + n.window);
    return numbers.admit(Bhs(next.data()), bhs_length, latest_at + n.behind, n.requested);
}

TEST(AnswerNumbers, GoOn) {
    EXPECT_TRUE(admits({}));
    EXPECT_TRUE(admits({.stat = latest_stat_sn, .exp = latest_exp_cmd_sn}))
        << "an R2T, or a NOP-In that asks";
    EXPECT_TRUE(admits({.window = 0})) << "no more commands for now";
}

// With all commands under way that it admits, a target leaves none of its window.
TEST(AnswerNumbers, MayLeaveMoreOfTheWindowThanABusyTargetDid) {
    AnswerNumbers numbers;
    const Bytes busy = response(latest_stat_sn, latest_exp_cmd_sn, latest_exp_cmd_sn - 1);
    numbers.note(Bhs(busy.data()), latest_at);
    const Bytes idle = response(latest_stat_sn + 1, latest_exp_cmd_sn, latest_exp_cmd_sn + 1023);
    EXPECT_TRUE(numbers.admit(Bhs(idle.data()), bhs_length, latest_at + bhs_length, {}));
}

TEST(AnswerNumbers, AreAdmittedWhereNothingIsKnown) {
    const Bytes any = response(1, 2, 3);
    EXPECT_TRUE(AnswerNumbers().admit(Bhs(any.data()), bhs_length, latest_at, {}));
}

TEST(AnswerNumbers, DoNotGoBack) {
    EXPECT_FALSE(admits({.stat = 0}));
    EXPECT_FALSE(admits({.exp = 0}));
    EXPECT_FALSE(admits({.stat = latest_stat_sn - 100}));
    EXPECT_FALSE(admits({.exp = latest_exp_cmd_sn - 100}));
    EXPECT_TRUE(admits({.stat = latest_stat_sn - 3, .exp = latest_exp_cmd_sn - 3})) << "threads of a target";
}

TEST(AnswerNumbers, GoNoFurtherThanTheStreamHasRoomForStatuses) {
    EXPECT_FALSE(admits({.stat = latest_stat_sn + 20, .behind = 10 * bhs_length}));
    EXPECT_TRUE(admits({.stat = latest_stat_sn + 20, .behind = 20 * bhs_length}));
}

TEST(AnswerNumbers, GoNoFurtherThanStatusesAndTheWindowLet) {
    EXPECT_FALSE(admits({.exp = latest_exp_cmd_sn + 6000}));
    EXPECT_TRUE(admits({.exp = latest_exp_cmd_sn + 6000, .behind = 6000 * bhs_length}));
    EXPECT_FALSE(admits({.window = 6000}));
}

// Other connections of the session, or a stretch of the target's stream that is not in the capture.
TEST(AnswerNumbers, FollowTheRequestsWhereTheseTellOfMore) {
    const auto with = [](uint32_t cmd_sn, uint32_t exp_stat) {
        return AnswerNumbers::Requested{Serial32(cmd_sn), Serial32(exp_stat), false};
    };
    EXPECT_TRUE(admits({.exp = latest_exp_cmd_sn + 100'000,
                        .requested = with(latest_exp_cmd_sn + 100'000, latest_stat_sn)}));
    EXPECT_FALSE(admits(
        {.exp = latest_exp_cmd_sn + 90'000, .requested = with(latest_exp_cmd_sn + 100'000, latest_stat_sn)}));
    EXPECT_TRUE(admits(
        {.stat = latest_stat_sn + 50'000, .requested = with(latest_exp_cmd_sn, latest_stat_sn + 50'000)}));
    EXPECT_FALSE(admits(
        {.stat = latest_stat_sn + 40'000, .requested = with(latest_exp_cmd_sn, latest_stat_sn + 50'000)}));
}

TEST(AnswerNumbers, OfAStatusThatTheInitiatorAskedForAgainGoBack) {
    EXPECT_TRUE(admits({.stat = latest_stat_sn - 100, .requested = {{}, {}, true}}));
}

TEST(AnswerNumbers, ThatTheCutTookAreNotJudged) {
    AnswerNumbers numbers;
    const Bytes sure = response(latest_stat_sn, latest_exp_cmd_sn, latest_exp_cmd_sn + latest_window);
    numbers.note(Bhs(sure.data()), latest_at);
    const Bytes next = response(latest_stat_sn + 1, 0, 0);
    EXPECT_TRUE(numbers.admit(Bhs(next.data()), stat_sn_end, latest_at + bhs_length, {}));
    const Bytes data = test::data_in(1, 0, Bytes(4), latest_exp_cmd_sn).stat_sn(0).header();
    EXPECT_TRUE(numbers.admit(Bhs(data.data()), bhs_length, latest_at + bhs_length, {}))
        << "without a status it has none";
}

}  // namespace
}  // namespace sanscope
