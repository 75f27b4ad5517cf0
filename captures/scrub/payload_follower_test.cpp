// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/scrub/payload_follower.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "captures/scrub/testing/followed_conversation.h"

#include "analyzer/scsi/opcodes.h"

namespace sanscope::test {
namespace {

constexpr unsigned final_read = 0xc1;
constexpr unsigned final_write = 0xa1;

PduBuilder command(uint32_t itt, unsigned flags, const Bytes& cdb, uint32_t length, uint32_t cmd_sn = 2) {
    return PduBuilder(Opcode::scsi_command)
        .flags(flags)
        .itt(itt)
        .cdb(cdb)
        .expected_length(length)
        .cmd_sn(cmd_sn)
        .exp_stat_sn(2);
}
PduBuilder data_in(uint32_t itt, const Bytes& data, bool with_status = true) {
    return PduBuilder(Opcode::scsi_data_in)
        .flags(with_status ? 0x81 : 0x80)
        .itt(itt)
        .ttt(reserved_tag)
        .stat_sn(with_status ? 2 : 0)
        .exp_cmd_sn(3)
        .data(data);
}
const Bytes read_10 = {scsi_op::read_10, 0, 0, 0, 0, 0, 0, 0, 8, 0};
const Bytes write_10 = {scsi_op::write_10, 0, 0, 0, 0, 0, 0, 0, 8, 0};
const Bytes inquiry = {scsi_op::inquiry, 0, 0, 0, 96, 0};

// A session, its login with these digests behind it.
FollowedConversation logged_in(const char* digest = "None") {
    FollowedConversation talk;
    talk.handshake();
    const Bytes keys =
        text_keys({std::string("HeaderDigest=") + digest, std::string("DataDigest=") + digest});
    talk.initiator(login_request(keys).bytes());
    talk.target(login_response(keys).bytes());
    return talk;
}

TEST(PayloadFollower, LoginTextIsText) {
    FollowedConversation talk = logged_in();
    talk.finish();
    EXPECT_TRUE(talk.of(4).iscsi);
    EXPECT_FALSE(talk.of(4).from_target);
    EXPECT_EQ(talk.of(4).described(), "48 basic header segment, 34 text, 2 padding");
    EXPECT_TRUE(talk.of(5).from_target);
}

TEST(PayloadFollower, DataOfReadAreUsersData) {
    FollowedConversation talk = logged_in();
    talk.initiator(command(7, final_read, read_10, 4096).bytes());
    const auto packet = talk.target(data_in(7, pattern(4096)).bytes());
    ASSERT_EQ(talk.out().size(), packet) << "known at once";
    EXPECT_EQ(talk.of(packet).described(), "48 basic header segment, 4096 users' data");
    EXPECT_EQ(talk.of(packet).parts[1].scsi_opcode, scsi_op::read_10);
}

TEST(PayloadFollower, DataOfInquiryAreParameterDataUntilItsStatus) {
    FollowedConversation talk = logged_in();
    talk.initiator(command(7, final_read, inquiry, 96).bytes());
    const auto answer = talk.target(data_in(7, pattern(96)).bytes());
    EXPECT_EQ(talk.of(answer).described(), "48 basic header segment, 96 parameter data");
    // Nobody saw which command has the tag now.
    const auto later = talk.target(data_in(7, pattern(96)).bytes());
    EXPECT_EQ(talk.of(later).described(), "48 basic header segment, 96 users' data");
}

TEST(PayloadFollower, AVendorsPageIsUsersData) {
    FollowedConversation talk = logged_in();
    talk.initiator(command(7, final_read, {scsi_op::inquiry, 1, 0xc0, 0, 96, 0}, 96).bytes());
    const auto answer = talk.target(data_in(7, pattern(96)).bytes());
    EXPECT_EQ(talk.of(answer).described(), "48 basic header segment, 96 users' data");
}

TEST(PayloadFollower, SeveralHeadersInAPacketAndADataSegmentOverSeveral) {
    FollowedConversation talk = logged_in();
    talk.initiator(command(7, final_read, read_10, 4096).bytes() +
                   command(8, final_read, read_10, 8, 3).bytes());
    EXPECT_EQ(talk.out().back().described(), "48 basic header segment, 48 basic header segment");
    const Bytes stream = data_in(7, pattern(4096)).bytes() + data_in(8, pattern(8)).bytes();
    const auto first = talk.target({stream.begin(), stream.begin() + 1000});
    const auto second = talk.target({stream.begin() + 1000, stream.begin() + 4154});
    EXPECT_EQ(talk.waiting(), 1u) << "ends in the midst of a header";
    const auto third = talk.target({stream.begin() + 4154, stream.end()});
    ASSERT_EQ(talk.out().size(), third);
    EXPECT_EQ(talk.of(first).described(), "48 basic header segment, 952 users' data");
    EXPECT_EQ(talk.of(second).described(), "3144 users' data, 10 basic header segment");
    EXPECT_EQ(talk.of(second).parts[0].begin, 952u);
    EXPECT_EQ(talk.of(second).parts[0].whole, 4096u);
    EXPECT_EQ(talk.of(third).described(), "38 basic header segment, 8 users' data");
    EXPECT_EQ(talk.of(third).parts[0].begin, 10u);
}

TEST(PayloadFollower, DigestsAreToldApart) {
    FollowedConversation talk = logged_in("CRC32C");
    talk.initiator(command(7, final_read, read_10, 30).bytes(true, true));
    const auto packet = talk.target(data_in(7, pattern(30)).bytes(true, true));
    EXPECT_EQ(talk.of(packet).described(),
              "48 basic header segment, 4 header digest, 30 users' data, 2 padding, 4 data digest");
}

TEST(PayloadFollower, ImmediateDataOfWriteAreUsersDataThoseOfUnmapAreNot) {
    FollowedConversation talk = logged_in();
    auto packet = talk.initiator(command(7, final_write, write_10, 512).data(pattern(512)).bytes());
    EXPECT_EQ(talk.of(packet).described(), "48 basic header segment, 512 users' data");
    packet = talk.initiator(command(8, final_write, {scsi_op::unmap}, 24, 3).data(pattern(24)).bytes());
    EXPECT_EQ(talk.of(packet).described(), "48 basic header segment, 24 parameter data");
}

TEST(PayloadFollower, SenseDataAreKeptPingDataAreNot) {
    FollowedConversation talk = logged_in();
    auto packet = talk.target(PduBuilder(Opcode::scsi_response)
                                  .flags(0x80)
                                  .status(2)
                                  .itt(7)
                                  .stat_sn(2)
                                  .exp_cmd_sn(3)
                                  .data(pattern(20))
                                  .bytes());
    EXPECT_EQ(talk.of(packet).described(), "48 basic header segment, 20 sense data");
    packet = talk.target(PduBuilder(Opcode::nop_in)
                             .flags(0x80)
                             .itt(9)
                             .ttt(reserved_tag)
                             .stat_sn(3)
                             .exp_cmd_sn(3)
                             .data(pattern(16))
                             .bytes());
    EXPECT_EQ(talk.of(packet).described(), "48 basic header segment, 16 ping data");
}

TEST(PayloadFollower, AReorderedSegmentWaitsForTheOneBeforeIt) {
    FollowedConversation talk = logged_in();
    talk.initiator(command(7, final_read, read_10, 4096).bytes());
    const Bytes stream = data_in(7, pattern(4000)).bytes() + data_in(8, pattern(8)).bytes();
    const uint32_t at = 48 + 36;  // behind the Login Response
    const auto late = talk.target({stream.begin() + 2000, stream.end()}, at + 2000);
    EXPECT_EQ(talk.waiting(), 1u);
    const auto first = talk.target({stream.begin(), stream.begin() + 2000}, at);
    ASSERT_EQ(talk.waiting(), 0u);
    EXPECT_EQ(talk.of(first).described(), "48 basic header segment, 1952 users' data");
    EXPECT_EQ(talk.of(late).described(), "2048 users' data, 48 basic header segment, 8 users' data");
}

TEST(PayloadFollower, ARetransmissionIsClassifiedTheSameOnlyIfItIsTheSame) {
    FollowedConversation talk = logged_in();
    const uint32_t at = 48 + 36;
    const Bytes segment = command(7, final_read, read_10, 4096).bytes();
    talk.initiator(segment);
    const auto again = talk.initiator(segment, at);
    EXPECT_TRUE(talk.of(again).seen_before);
    EXPECT_EQ(talk.of(again).kept(), segment);
    Bytes other = segment;
    other[40] ^= 1;
    const auto changed = talk.initiator(other, at);
    EXPECT_EQ(talk.of(changed).described(), "48 unknown");
    // Half of what is new, half of what was there.
    const Bytes next = command(8, final_read, read_10, 8, 3).bytes();
    const auto both = talk.initiator(segment + next, at);
    EXPECT_FALSE(talk.of(both).seen_before);
    EXPECT_EQ(talk.of(both).kept(), segment + next);
}

TEST(PayloadFollower, BehindAHoleOnlyACheckedHeaderIsBelieved) {
    FollowedConversation talk = logged_in();
    talk.initiator(command(7, final_read, read_10, 4096).bytes());
    const Bytes stream = data_in(7, pattern(4000), false).bytes() + data_in(7, pattern(96)).bytes();
    talk.lose(true, 3000);  // the header too
    const auto packet = talk.target({stream.begin() + 3000, stream.end()});
    talk.wait(100'000'000);
    talk.initiator({});
    talk.wait(100'000'000);
    talk.initiator({});
    talk.finish();
    EXPECT_EQ(talk.of(packet).described(), "1048 unknown, 48 basic header segment, 96 users' data");
}

// Users may store captures.
TEST(PayloadFollower, AHeaderOfAnotherConnectionWithinDataIsNotBelieved) {
    FollowedConversation talk = logged_in();
    const Bytes stored = data_in(9, pattern(64)).stat_sn(0x70000000).exp_cmd_sn(0x70000000).bytes();
    talk.lose(true, 500);
    const auto packet = talk.target(pattern(200) + stored + pattern(300));
    talk.wait(100'000'000);
    talk.initiator({});
    talk.wait(100'000'000);
    talk.initiator({});
    talk.finish();
    EXPECT_EQ(talk.of(packet).kept(), Bytes());
}

TEST(PayloadFollower, ATagIsForgottenBehindAHole) {
    FollowedConversation talk = logged_in();
    talk.initiator(command(7, final_read, inquiry, 96).bytes());
    talk.lose(false, 48);  // READ with the same tag, perhaps
    talk.initiator(command(8, final_read, read_10, 8, 4).bytes());
    talk.wait(100'000'000);
    talk.target(
        PduBuilder(Opcode::nop_in).flags(0x80).itt(reserved_tag).ttt(1).stat_sn(2).exp_cmd_sn(5).bytes());
    talk.wait(100'000'000);
    talk.target(
        PduBuilder(Opcode::nop_in).flags(0x80).itt(reserved_tag).ttt(2).stat_sn(2).exp_cmd_sn(5).bytes());
    const auto packet = talk.target(data_in(7, pattern(96)).bytes());
    talk.finish();
    EXPECT_EQ(talk.of(packet).described(), "48 basic header segment, 96 users' data");
}

TEST(PayloadFollower, ASessionWithoutItsLoginIsFollowedFromItsFirstHeader) {
    FollowedConversation talk;
    talk.lose(false, 1000);
    talk.lose(true, 1000);
    const auto first = talk.initiator(command(7, final_read, inquiry, 96).bytes());
    EXPECT_EQ(talk.waiting(), 1u) << "it may be no iSCSI";
    const auto second = talk.target(data_in(7, pattern(96)).bytes());
    talk.initiator(command(8, final_read, read_10, 8, 3).bytes());
    talk.finish();
    EXPECT_EQ(talk.of(first).described(), "48 basic header segment");
    EXPECT_EQ(talk.of(second).described(), "48 basic header segment, 96 parameter data");
}

TEST(PayloadFollower, WhatIsNoIscsiIsUnknown) {
    FollowedConversation talk;
    talk.handshake();
    const auto packet = talk.initiator(pattern(500));
    ASSERT_EQ(talk.waiting(), 0u);
    EXPECT_FALSE(talk.of(packet).iscsi);
    EXPECT_EQ(talk.of(packet).described(), "500 unknown");
}

TEST(PayloadFollower, WhatWaitsIsBounded) {
    PayloadFollower::Limits limits;
    limits.waiting_packets = 10;
    FollowedConversation talk(limits);
    talk.handshake();
    const Bytes keys = text_keys({"HeaderDigest=None"});
    talk.initiator(login_request(keys).bytes());
    talk.target(login_response(keys).bytes());
    talk.lose(true, 10);
    for (int i = 0; i < 100; ++i) {
        talk.target(data_in(7, pattern(100)).bytes());
        ASSERT_LE(talk.waiting(), 10u);
    }
    talk.finish();
    EXPECT_EQ(talk.waiting(), 0u);
    EXPECT_EQ(talk.out().size(), 105u);
    EXPECT_EQ(talk.of(6).kept(), Bytes());
}

TEST(PayloadFollower, PartsCoverEachPayloadInOrder) {
    FollowedConversation talk = logged_in("CRC32C");
    talk.initiator(command(7, final_read, read_10, 4096).bytes(true, true));
    const Bytes stream =
        data_in(7, pattern(1001)).bytes(true, true) + data_in(8, pattern(7)).bytes(true, true);
    for (size_t at = 0; at < stream.size(); at += 37) {
        const auto part = std::span(stream).subspan(at, std::min<size_t>(37, stream.size() - at));
        talk.target({part.begin(), part.end()});
    }
    talk.finish();
    for (const ComeOut& packet : talk.out()) {
        uint32_t at = 0;
        for (const PayloadPart& part : packet.parts) {
            EXPECT_EQ(part.offset, at);
            EXPECT_GT(part.length, 0u);
            EXPECT_LE(part.begin + part.length, part.whole) << payload_kind_name(part.kind);
            at += part.length;
        }
        EXPECT_EQ(at, packet.payload.size());
    }
}

}  // namespace
}  // namespace sanscope::test
