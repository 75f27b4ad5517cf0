// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/report/testing/made_up_capture.h"

namespace sanscope {
namespace {

using test::MadeUpCapture;
using testing::Contains;
using testing::HasSubstr;

using Kind = Finding::Kind;

class WrongDigests : public testing::Test, protected MadeUpCapture {
  protected:
    static constexpr uint8_t data_in = 0x25;
    static constexpr uint8_t data_out = 0x05;
    static constexpr uint8_t nop_in = 0x20;

    WrongDigests() {
        for (int i = 0; i < 3; ++i) {
            add_connection();
            store.session(static_cast<uint32_t>(i + 1)).data_digest = "CRC32C";
        }
    }
    void add(uint8_t opcode, uint32_t connection, bool header = false) {
        ++packet_;
        issues.add(header ? Issue::header_digests_bad : Issue::data_digests_bad, packet_);
        add_event({.packet = packet_,
                   .time_ns = 0,
                   .connection = connection,
                   .opcode = opcode,
                   .bad_digest = true,
                   .bad_header_digest = header});
    }

  private:
    PacketNumber packet_ = 10;
};

TEST_F(WrongDigests, at_the_receiver_are_the_paths_or_the_senders) {
    for (int i = 0; i < 5; ++i) add(data_in, 2);
    const Finding finding = find_one(Kind::bad_digest);
    EXPECT_EQ(finding.side, Finding::Side::path);
    EXPECT_EQ(finding.sender, Finding::Sender::target);
    EXPECT_NE(finding.confidence, Finding::Confidence::firm);
    EXPECT_THAT(finding.evidence, Contains("all are of the target: 5 SCSI Data-In"));
    EXPECT_THAT(finding.evidence, Contains("on 1 of 3 connections with digests"));
    EXPECT_THAT(finding.explanation, testing::Not(HasSubstr("the TCP checksum held")));
}

TEST_F(WrongDigests, at_the_sender_are_not_the_paths) {
    for (int i = 0; i < 5; ++i) add(data_out, 1);
    const Finding finding = find_one(Kind::bad_digest);
    EXPECT_EQ(finding.side, Finding::Side::initiator);
    EXPECT_THAT(finding.evidence, Contains("captured at the initiator, before the path"));
}

TEST_F(WrongDigests, of_both_sides_are_not_one_senders) {
    add(data_out, 1);
    add(data_in, 1);
    const Finding finding = find_one(Kind::bad_digest);
    EXPECT_EQ(finding.side, Finding::Side::path);
    EXPECT_EQ(finding.sender, Finding::Sender::unknown);
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("1 of the target, 1 of the initiator")));
}

TEST_F(WrongDigests, of_rare_short_pdus_alone_are_the_softwares) {
    for (int i = 0; i < 4; ++i) add(nop_in, 1, true);
    EXPECT_EQ(find_one(Kind::bad_digest).side, Finding::Side::target);
}

TEST_F(WrongDigests, of_one_short_pdu_tell_nothing_of_software) {
    add(nop_in, 1, true);
    EXPECT_EQ(find_one(Kind::bad_digest).side, Finding::Side::path);
}

}  // namespace
}  // namespace sanscope
