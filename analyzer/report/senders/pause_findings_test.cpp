// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/report/testing/findings_fixture.h"
#include "analyzer/scsi/opcodes.h"

namespace sanscope {
namespace {

using scsi_op::write_16;
using test::Findings;
using test::ms;
using test::mss;
using testing::HasSubstr;
using testing::Not;

using Kind = Finding::Kind;

// Whether it is its congestion control that paces is known of BBR alone.
TEST_F(Findings, pacing_is_the_congestion_controls_where_that_is_known) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::pacing});
    add_window(target, 500, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    Finding finding = find_one(Kind::pacing);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_THAT(finding.explanation, HasSubstr("or its application writes so"));
    target.set_congestion_control("bbr");
    finding = find_one(Kind::pacing);
    EXPECT_EQ(finding.confidence, Finding::Confidence::firm);
    EXPECT_THAT(finding.explanation, HasSubstr("BBR, sends at a rate that it measured"));
    store.connection(1).kernel_congestion_control[index_of(target.side())] = "cubic";
    EXPECT_EQ(find_one(Kind::pacing).confidence, Finding::Confidence::possible) << "the kernel knows better";
}

// A write each 45 ms, of which a packet goes at 1 ms, its acknowledgement comes at 41 ms and another packet follows at once.
class PausesOfOneLength : public Findings {
  protected:
    // `in_request`: what goes in two pieces is the request itself, which is whole with the second one.
    void add_pauses(uint32_t second_length, bool same_pdu, uint32_t cwnd = 100'000, bool in_request = false) {
        SenderSummary& initiator = add_initiator();
        const uint32_t length = 500 + second_length;
        for (int64_t i = 0; i < 20; ++i) {
            const uint32_t seq = length * static_cast<uint32_t>(i);
            add_command({.bytes = 900,
                         .response_packet = 5000,
                         .request_ns = (45 * i + (in_request ? 42 : 0)) * ms,
                         .response_ns = (45 * i + 43) * ms,
                         .name = "WRITE(16)",
                         .opcode = write_16,
                         .status = 0,
                         .outcome = Outcome::completed});
            add_window(initiator, 45 * i + 1,
                       {.snd_una = seq, .snd_nxt = seq + 500, .cwnd = cwnd, .limit = SendLimit::application});
            add_window(initiator, 45 * i + 41,
                       {.snd_una = seq + 500, .snd_nxt = seq + 500, .limit = SendLimit::application});
            add_window(initiator, 45 * i + 42,
                       {.snd_una = seq + 500, .snd_nxt = seq + length, .limit = SendLimit::application});
            add_window(initiator, 45 * i + 43,
                       {.snd_una = seq + length, .snd_nxt = seq + length, .limit = SendLimit::application});
            if (!same_pdu) continue;
            // The packets of add_window().
            const auto first = static_cast<PacketNumber>(45 * i + 2);
            store.add_pdu_pause({1, Role::initiator, first, first + 41});
        }
    }
};

TEST_F(PausesOfOneLength, within_pdus_that_an_acknowledgement_ends_are_a_delayed_one) {
    add_pauses(500, true);
    const Finding finding = find_one(Kind::delayed_ack);
    EXPECT_THAT(finding.title, HasSubstr("waited 20 times for a delayed acknowledgement"));
    EXPECT_THAT(finding.explanation, HasSubstr("Nagle"));
    EXPECT_EQ(finding.sender, Finding::Sender::initiator);
    EXPECT_EQ(finding.severity, Finding::Severity::problem);
}

// No command is under way before its request is whole.
TEST_F(PausesOfOneLength, within_requests_are_a_delayed_one_too) {
    add_pauses(400, true, 100'000, true);
    const Finding finding = find_one(Kind::delayed_ack);
    EXPECT_THAT(finding.title, HasSubstr("waited 20 times for a delayed acknowledgement"));
    EXPECT_EQ(finding.severity, Finding::Severity::problem);
    EXPECT_EQ(finding.sender, Finding::Sender::initiator);
}

// A program that pauses for about as long as the receiver's timer goes on with the acknowledgement now and then.
TEST_F(PausesOfOneLength, among_others_that_no_acknowledgement_ends_are_the_programs) {
    add_pauses(500, true);
    for (PacketNumber i = 0; i < 7; ++i)
        store.add_pdu_pause({1, Role::initiator, 2000 + 45 * i, 2000 + 45 * i + 41});
    EXPECT_TRUE(find(Kind::delayed_ack).empty());
}

// Whoever sends a command each 40 ms had nothing to send before.
TEST_F(PausesOfOneLength, between_commands_are_the_programs) {
    add_pauses(500, false);
    EXPECT_TRUE(find(Kind::delayed_ack).empty());
}

TEST_F(PausesOfOneLength, behind_a_full_window_of_one_segment_are_not_nagles_but_a_delayed_one) {
    add_pauses(mss, true, mss);
    const Finding finding = find_one(Kind::delayed_ack);
    EXPECT_THAT(finding.explanation, HasSubstr("congestion window had no room"));
    EXPECT_THAT(finding.explanation, Not(HasSubstr("Nagle")));
}

TEST_F(PausesOfOneLength, before_a_full_segment_are_not_nagles) {
    add_pauses(mss, true);
    EXPECT_TRUE(find(Kind::delayed_ack).empty());
}

}  // namespace
}  // namespace sanscope
