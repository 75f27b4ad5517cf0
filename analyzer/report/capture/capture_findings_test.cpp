// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/report/testing/findings_fixture.h"
#include "analyzer/scsi/opcodes.h"

namespace sanscope {
namespace {

using scsi_op::read_16;
using test::Findings;
using test::ms;
using test::mss;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

using Kind = Finding::Kind;

// Captures of two places put together: the engine knows by the time between a packet and its copy.
TEST_F(Findings, captured_in_two_places_is_told_as_such) {
    for (int64_t i = 0; i < 100; ++i) add_read(10 * i, 1);
    ConnectionRow& row = store.connection(1);
    row.vantage = Vantage::unknown;
    row.rtt_min_ns = 2 * ms;
    SenderSummary& target = add_target();
    add_window(target, 0, {});
    add_window(target, 1000, {});
    EXPECT_TRUE(find(Kind::vantage).empty());
    for (int64_t i = 0; i < 500; ++i) add_loss(target, LossKind::duplicate, 100 + i);
    EXPECT_TRUE(find(Kind::vantage).empty()) << "a port that is mirrored twice is one place";
    row.in_two_places = true;
    const Finding finding = find_one(Kind::vantage);
    EXPECT_THAT(finding.title, HasSubstr("Captured in two places, which do not agree"));
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
}

TEST_F(Findings, what_a_cut_hides_is_no_fault) {
    add_read(20, 5);
    issues.add(Issue::answers_not_paired, 33, 40);
    EXPECT_EQ(find_one(Kind::capture_issue).severity, Finding::Severity::notice);
    totals.cut_packets = 12;
    totals.cut_at = 96;
    EXPECT_EQ(find_one(Kind::capture_issue).severity, Finding::Severity::information);
}

TEST_F(Findings, what_the_capture_lacks_is_told) {
    SenderSummary& target = add_target();
    add_loss(target, LossKind::not_captured, 12, 33);
    add_loss(target, LossKind::duplicate, 13, 34);
    issues.add(Issue::bytes_not_captured, 33, 4000);
    issues.add(Issue::fragments_never_completed, 35, 2);
    damage.push_back({"cut.pcap", 1234, "the file is cut off inside a packet record"});
    interfaces.push_back({.file = "cut.pcap", .name = "eth0", .snap_length = 128, .dropped = 17});
    // A snap length that cut nothing is not told of.
    EXPECT_TRUE(find(Kind::snap_length).empty());
    totals.cut_packets = 12;
    totals.cut_at = 96;
    EXPECT_THAT(find_one(Kind::capture_damaged).title,
                "cut.pcap: the file is cut off inside a packet record at byte 1234");
    totals.packets = 17 * 999;
    EXPECT_THAT(find_one(Kind::capture_drops).title, HasSubstr("17 packets, 0.1 % of what came"));
    EXPECT_EQ(find_one(Kind::capture_drops).severity, Finding::Severity::notice);
    totals.packets = 17;
    EXPECT_THAT(find_one(Kind::capture_drops).title, HasSubstr("50 % of what came"));
    EXPECT_EQ(find_one(Kind::capture_drops).severity, Finding::Severity::problem);
    EXPECT_EQ(find_one(Kind::snap_length).title, "12 packets were cut at 96 bytes (snap length)");
    EXPECT_THAT(find_one(Kind::snap_length).explanation, HasSubstr("What TCP did is seen in full"));
    totals.cut_at = 80;
    EXPECT_THAT(find_one(Kind::snap_length).explanation, HasSubstr("what TCP did is less certain"));
    EXPECT_THAT(find_one(Kind::not_captured).title, HasSubstr("4.00 kB of iSCSI"));
    EXPECT_THAT(find_one(Kind::not_captured).explanation, HasSubstr("or they took another way"));
    EXPECT_EQ(find_one(Kind::not_captured).packet, 33u);
    EXPECT_EQ(find_one(Kind::captured_twice).packet, 34u);
    EXPECT_THAT(find_one(Kind::capture_issue).title, HasSubstr("2 IP datagrams with fragments missing"));
}

TEST_F(Findings, segments_in_a_row_are_lacking_at_one_place) {
    SenderSummary& target = add_target();
    for (const uint32_t seq : {1000u, 2000u, 3000u, 8000u}) {
        store.add_loss(target, {.packet = 33,
                                .connection = target.connection(),
                                .seq = seq,
                                .length = 1000,
                                .kind = LossKind::not_captured,
                                .sender = target.side()});
    }
    issues.add(Issue::bytes_not_captured, 33, 4000);
    EXPECT_EQ(find_one(Kind::not_captured).title,
              "The capture lacks 4 segments that were acknowledged, at 2 places: 4.00 kB of iSCSI");
}

TEST_F(Findings, more_bytes_are_lacking_than_the_segments_that_are_counted_can_hold) {
    add_loss(add_target(), LossKind::not_captured, 12, 33);
    issues.add(Issue::bytes_not_captured, 33, 24'000'000);
    EXPECT_EQ(find_one(Kind::not_captured).title,
              "The capture lacks 24.0 MB of iSCSI, which were acknowledged");
}

TEST_F(Findings, a_few_segments_that_are_there_twice_are_no_mirror_ports_doing) {
    SenderSummary& target = add_target();
    for (int64_t i = 0; i < 30; ++i) add_loss(target, LossKind::duplicate, i);
    EXPECT_EQ(find_one(Kind::captured_twice).severity, Finding::Severity::information);
    EXPECT_THAT(find_one(Kind::captured_twice).explanation, HasSubstr("or duplicated on the path"));
    for (int64_t i = 0; i < 3000; ++i) add_loss(target, LossKind::duplicate, i);
    EXPECT_EQ(find_one(Kind::captured_twice).severity, Finding::Severity::notice);
}

TEST_F(Findings, times_that_go_back_are_told_with_by_how_much) {
    for (int64_t i = 0; i < 40; ++i) add_read(20 * i, 2);
    EXPECT_TRUE(find(Kind::capture_issue).empty());
    issues.add(Issue::times_set_back, 701);
    totals.largest_set_back_ns = 5000 * ms;
    const Finding once = find_one(Kind::capture_issue);
    EXPECT_EQ(once.title, "The capture's times go back by 5.00 s in packet 701");
    EXPECT_EQ(once.severity, Finding::Severity::notice);
    EXPECT_EQ(once.packet, 701u);
    const Finding well = find_one(Kind::nothing_wrong);
    EXPECT_EQ(well.title, "Nothing wrong is seen of 40 commands");
    EXPECT_EQ(well.confidence, Finding::Confidence::possible);
    EXPECT_THAT(well.explanation, AllOf(HasSubstr("is not judged"), Not(HasSubstr("stood out"))));
    issues.add(Issue::times_set_back, 900);
    EXPECT_EQ(find_one(Kind::capture_issue).title,
              "The capture's times go back 2 times, by 5.00 s at most, first in packet 701");
}

// They are of the clock, or of the order of the file, whatever else the capture lacks.
TEST_F(Findings, times_that_go_back_follow_from_nothing) {
    for (int64_t i = 0; i < 40; ++i) add_read(20 * i, 2);
    for (int64_t i = 0; i < 40; ++i) add_loss(add_target(), LossKind::not_captured, i);
    issues.add(Issue::bytes_not_captured, 33, 4000);
    issues.add(Issue::holes_not_captured, 33);
    issues.add(Issue::times_set_back, 701);
    totals.largest_set_back_ns = 5000 * ms;
    ASSERT_FALSE(find(Kind::not_captured).empty());
    const Finding back = find_one(Kind::capture_issue);
    EXPECT_EQ(back.severity, Finding::Severity::notice);
    EXPECT_THAT(back.explanation, Not(HasSubstr("It follows from")));
}

// Interrupt coalescing is far shorter than what is told of.
TEST_F(Findings, packets_stamped_in_batches_are_told_with_what_makes_such) {
    for (int64_t i = 0; i < 40; ++i) add_read(20 * i, 2);
    store.connection(1).batches_apart_ns = 13 * ms;
    const Finding batches = find_one(Kind::capture_issue);
    EXPECT_THAT(batches.title, HasSubstr("in batches about 13.0 ms apart"));
    EXPECT_THAT(batches.explanation, AllOf(HasSubstr("virtual machine"), HasSubstr("capture buffer"),
                                           Not(HasSubstr("coalescing"))));
}

TEST_F(Findings, of_captures_of_both_ends_in_one_no_losses_are_told) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.ca_state = CaState::recovery, .limit = SendLimit::recovery});
    add_window(target, 300, {.limit = SendLimit::application});
    store.connection(1).bytes_in = 1000 * mss;
    for (int64_t i = 0; i < 450; ++i) add_loss(target, LossKind::fast_retransmit, i);
    EXPECT_FALSE(find(Kind::lost_segments).empty());
    for (int64_t i = 0; i < 50; ++i) add_loss(target, LossKind::duplicate, i);
    EXPECT_TRUE(find(Kind::lost_segments).empty());
    EXPECT_THAT(find(Kind::captured_twice).front().title, HasSubstr("losses cannot be told"));
}

// Copies farther apart than a round trip: each looks sent again though it had been acknowledged.
TEST_F(Findings, of_captures_of_both_ends_far_apart_nothing_is_said_of_tcp) {
    SenderSummary& target = add_target();
    add_window(target, 0, {.limit = SendLimit::congestion});
    add_window(target, 500, {.limit = SendLimit::application});
    add_window(target, 1000, {});
    store.connection(1).bytes_in = 1000 * mss;
    for (int64_t i = 0; i < 90; ++i) add_loss(target, LossKind::spurious, i);
    EXPECT_TRUE(find(Kind::captured_twice).empty());
    for (int64_t i = 0; i < 400; ++i) add_loss(target, LossKind::spurious, i);
    const Finding finding = find_one(Kind::captured_twice);
    EXPECT_THAT(finding.title, HasSubstr("losses cannot be told"));
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("490 segments look retransmitted")));
    EXPECT_TRUE(find(Kind::congestion_window).empty());
}

TEST_F(Findings, of_a_connection_captured_in_one_direction_nothing_is_said_of_its_tcp) {
    SenderSummary& target = add_target();
    store.connection(1).packets_out = 0;
    store.connection(1).bytes_out = 0;
    add_window(target, 0, {.limit = SendLimit::congestion});
    add_window(target, 1000, {});
    EXPECT_TRUE(find(Kind::congestion_window).empty());
    const Finding finding = find_one(Kind::not_captured);
    EXPECT_THAT(finding.title, HasSubstr("packets from the target alone"));
    EXPECT_TRUE(find(Kind::nothing_wrong).empty());
}

// A capture of a flight of data is over before the first acknowledgement.
TEST_F(Findings, a_capture_too_short_for_an_answer_has_not_lost_a_direction) {
    store.connection(1).packets_out = 0;
    store.connection(1).bytes_out = 0;
    store.connection(1).end_ns = 20 * ms;
    add_window(add_target(), 0, {});
    EXPECT_TRUE(find(Kind::not_captured).empty());
}

// What this direction acknowledges was sent in the other.
TEST_F(Findings, a_direction_that_is_acknowledged_is_lacking_however_short_the_capture) {
    ConnectionRow& row = store.connection(1);
    row.packets_out = 0;
    row.bytes_out = 0;
    row.end_ns = 20 * ms;
    row.out.acknowledged_ns = 0;
    add_window(add_target(), 0, {});
    EXPECT_TRUE(find(Kind::not_captured).empty()) << "the first packet acknowledges something in any case";
    row.out.acknowledged_ns = 5 * ms;
    EXPECT_EQ(find(Kind::not_captured).size(), 1u);
}

TEST_F(Findings, a_short_capture_of_many_packets_one_way_lacks_the_other) {
    store.connection(1).packets_out = 0;
    store.connection(1).bytes_out = 0;
    store.connection(1).end_ns = 300 * ms;
    add_window(add_target(), 0, {});
    EXPECT_EQ(find(Kind::not_captured).size(), 1u);
}

TEST_F(Findings, a_sender_that_nobody_answers_has_not_lost_a_direction) {
    store.connection(1).packets_out = 0;
    store.connection(1).bytes_out = 0;
    store.connection(1).packets_in = 7;
    SenderSummary& target = add_target();
    add_window(target, 0, {});
    for (int64_t i = 0; i < 6; ++i) add_loss(target, LossKind::rto, 200 << i);
    EXPECT_TRUE(find(Kind::not_captured).empty());
}

TEST_F(Findings, what_nobody_acknowledged_is_not_said_to_be_missing_from_the_capture_nor_to_be_well) {
    for (int64_t i = 0; i < 10; ++i) add_read(10 * i, 5);
    add_command({.bytes = 65536, .request_ns = 99 * ms, .name = "READ(16)", .opcode = read_16});
    store.connection(1).end_ns = totals.last_ns = 99 * ms + 1;
    issues.add(Issue::requests_not_seen, 40, 31);
    EXPECT_EQ(find_one(Kind::capture_issue).severity, Finding::Severity::notice);
    issues.add(Issue::holes_not_captured, 40);
    for (const Finding& finding : find(Kind::capture_issue))
        EXPECT_EQ(finding.severity, Finding::Severity::information) << finding.title;
    const Finding well = find_one(Kind::nothing_wrong);
    EXPECT_THAT(well.title, HasSubstr("Nothing wrong is seen of 11 commands"));
    EXPECT_THAT(well.explanation, HasSubstr("Bytes of iSCSI are missing from the capture"));
    EXPECT_THAT(well.explanation, HasSubstr("All commands but 1, under way at the end, were answered"));
    EXPECT_EQ(well.confidence, Finding::Confidence::possible);
}

}  // namespace
}  // namespace sanscope
