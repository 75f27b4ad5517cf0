// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/request_numbers.h"

#include <gtest/gtest.h>

#include "analyzer/iscsi/testing/pdu_builder.h"

namespace sanscope {
namespace {

using test::Bytes;
using test::PduBuilder;

// The latest request that surely is one.
constexpr uint64_t request_at = 1'000'000;
constexpr uint32_t request_cmd_sn = 9000;
constexpr uint32_t request_exp_stat_sn = 5000;

struct Next {
    int32_t cmd_sn = 1;  // further than that one's, as the next
    int32_t exp_stat_sn = 0;
    uint64_t behind = bhs_length;  // bytes
    Opcode opcode = Opcode::scsi_command;
    RequestNumbers::Answered answered = {};
};

bool admits_request(const Next& next, size_t captured = bhs_length) {
    const auto header = [](Opcode opcode, uint32_t cmd_sn, uint32_t exp_stat_sn) {
        return PduBuilder(opcode).cmd_sn(cmd_sn).exp_stat_sn(exp_stat_sn).header();
    };
    RequestNumbers numbers;
    const Bytes sure = header(Opcode::scsi_command, request_cmd_sn, request_exp_stat_sn);
    numbers.note(Bhs(sure.data()), request_at);
    const Bytes bytes = header(next.opcode, request_cmd_sn + static_cast<uint32_t>(next.cmd_sn),
                               request_exp_stat_sn + static_cast<uint32_t>(next.exp_stat_sn));
    return numbers.admit(Bhs(bytes.data()), captured, request_at + next.behind, next.answered);
}

TEST(RequestNumbers, GoOn) {
    EXPECT_TRUE(admits_request({}));
    EXPECT_TRUE(admits_request({.cmd_sn = 0, .exp_stat_sn = 3}));
}

TEST(RequestNumbers, AreAdmittedWhereNothingIsKnown) {
    const Bytes any = PduBuilder(Opcode::scsi_command).bytes();
    EXPECT_TRUE(RequestNumbers().admit(Bhs(any.data()), bhs_length, request_at, {}));
}

TEST(RequestNumbers, DoNotGoBack) {
    EXPECT_FALSE(admits_request({.cmd_sn = -8000, .behind = 9000 * bhs_length}));
    EXPECT_FALSE(admits_request({.exp_stat_sn = -4000, .behind = 9000 * bhs_length}));
}

TEST(RequestNumbers, GoNoFurtherThanTheStreamHasRoomForRequests) {
    EXPECT_FALSE(admits_request({.cmd_sn = 20, .behind = 10 * bhs_length}));
    EXPECT_TRUE(admits_request({.cmd_sn = 20, .behind = 20 * bhs_length}));
}

TEST(RequestNumbers, FollowTheAnswersWhereOtherConnectionsTakeNumbers) {
    const auto far = [](uint32_t max_cmd_sn) {
        return admits_request({.cmd_sn = 1000, .answered = {Serial32(request_cmd_sn + max_cmd_sn), {}}});
    };
    EXPECT_TRUE(far(1020));
    EXPECT_FALSE(far(980));
}

TEST(RequestNumbers, AcknowledgeNoStatusesOfAnotherDay) {
    EXPECT_FALSE(admits_request({.exp_stat_sn = 50'000}));
    EXPECT_TRUE(
        admits_request({.exp_stat_sn = 50'000, .answered = {{}, Serial32(request_exp_stat_sn + 50'000)}}));
}

TEST(RequestNumbers, ThatTheCutTookOrThatAreNoneAreNotJudged) {
    EXPECT_TRUE(admits_request({.cmd_sn = -8000}, transfer_length_end));
    EXPECT_TRUE(admits_request({.exp_stat_sn = -4000}, cmd_sn_end));
    EXPECT_TRUE(admits_request({.cmd_sn = -8000, .opcode = Opcode::scsi_data_out}));
}

}  // namespace
}  // namespace sanscope
