// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/report/testing/made_up_capture.h"

namespace sanscope {
namespace {

using test::MadeUpCapture;
using test::ms;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

using Kind = Finding::Kind;
using Severity = Finding::Severity;

constexpr uint32_t pdu_length = 32768;
constexpr int64_t trip_ns = 4 * ms;

// Reads of 256 KiB in eight Data-In PDUs, one at a time, over a path of 4 ms.
class DataInPdus : public testing::Test, protected MadeUpCapture {
  protected:
    DataInPdus() {
        ConnectionRow& row = add_connection();
        row.rtt_min_ns = trip_ns;
        row.mss = 8948;
        row.bytes_in = 20'000'000;
        sender_ = &store.add_sender(1, Side::b);
        store.session(1).max_burst_length = 16'776'192;
    }

    void read(int64_t between_pdus_ns = trip_ns, SendLimit limit = SendLimit::application) {
        constexpr int64_t pdus = 8;
        const int64_t first_ns = now_ns_ + trip_ns + ms;
        const int64_t last_ns = first_ns + (pdus - 1) * between_pdus_ns;
        for (int64_t i = 0; i < pdus; ++i) {
            add_window(first_ns + i * between_pdus_ns, pdu_length, limit);
            sent_ += pdu_length;
        }
        add_window(last_ns + trip_ns, 0, SendLimit::application);
        add_command(now_ns_, last_ns - now_ns_,
                    {.bytes = pdus * pdu_length,
                     .last_data_packet = packet_at(last_ns),
                     .first_data_ns = first_ns,
                     .last_data_ns = last_ns,
                     .name = "READ(16)",
                     .pdus = pdus + 1,
                     .opcode = scsi_op::read_16});
        now_ns_ = last_ns + trip_ns + ms;
    }
    void reads(int64_t between_pdus_ns = trip_ns, SendLimit limit = SendLimit::application) {
        for (int i = 0; i < 40; ++i) read(between_pdus_ns, limit);
    }
    void initiator_takes(uint32_t length) {
        store.session(1).max_recv_data_segment_length_initiator = length;
    }

  private:
    void add_window(int64_t time_ns, uint32_t in_flight, SendLimit limit) {
        WindowRow row;
        row.packet = packet_at(time_ns);
        row.time_ns = time_ns;
        row.srtt_ns = trip_ns;
        row.connection = 1;
        row.snd_una = sent_;
        row.snd_nxt = sent_ + in_flight;
        row.in_flight = in_flight;
        row.cwnd = limit == SendLimit::congestion ? pdu_length : 300'000;
        row.advertised_window = limit == SendLimit::receiver ? pdu_length : 1'000'000;
        row.limit = limit;
        row.sender = Side::b;
        store.add_window(*sender_, row);
    }

    SenderSummary* sender_ = nullptr;
    int64_t now_ns_ = 0;
    uint32_t sent_ = 0;
};

TEST_F(DataInPdus, a_round_trip_apart_are_as_long_as_the_login_allows) {
    initiator_takes(pdu_length);
    reads();
    const Finding finding = find_one(Kind::negotiation);
    EXPECT_EQ(finding.severity, Severity::notice);
    EXPECT_EQ(finding.confidence, Finding::Confidence::possible);
    EXPECT_EQ(finding.side, Finding::Side::initiator);
    EXPECT_THAT(finding.title, HasSubstr("Data-In PDUs of about 32 KiB, a round trip apart: "
                                         "MaxRecvDataSegmentLength of the initiator is 32 KiB"));
    EXPECT_THAT(finding.explanation, HasSubstr("A small send buffer of the target looks the same"));
    EXPECT_GT(finding.cost_ns, 0);
}

TEST_F(DataInPdus, shorter_than_the_login_allows_are_the_targets_choice) {
    initiator_takes(262'144);
    reads();
    const Finding finding = find_one(Kind::negotiation);
    EXPECT_EQ(finding.severity, Severity::information);
    EXPECT_EQ(finding.side, Finding::Side::target);
    EXPECT_THAT(finding.explanation, HasSubstr("The login allows 256 KiB"));
}

TEST_F(DataInPdus, of_a_login_that_was_not_captured_are_nobodys) {
    reads();
    const Finding finding = find_one(Kind::negotiation);
    EXPECT_EQ(finding.severity, Severity::information);
    EXPECT_EQ(finding.side, Finding::Side::none);
    EXPECT_THAT(finding.explanation, HasSubstr("What the login allows, the packets do not tell"));
}

TEST_F(DataInPdus, behind_a_full_window_are_not_to_blame) {
    initiator_takes(pdu_length);
    reads(trip_ns, SendLimit::receiver);
    for (const Finding& finding : find(Kind::negotiation))
        ADD_FAILURE() << finding.title << finding.explanation;
}

TEST_F(DataInPdus, that_follow_each_other_at_once_cost_no_round_trip) {
    initiator_takes(pdu_length);
    reads(ms / 4);
    EXPECT_THAT(find(Kind::negotiation), IsEmpty());
}

TEST_F(DataInPdus, over_a_short_path_are_told_of_nobody) {
    initiator_takes(pdu_length);
    store.connection(1).rtt_min_ns = ms / 10;
    reads(ms / 10);
    EXPECT_THAT(find(Kind::negotiation), IsEmpty());
}

TEST_F(DataInPdus, of_a_few_reads_say_nothing) {
    initiator_takes(pdu_length);
    for (int i = 0; i < 10; ++i) read();
    EXPECT_THAT(find(Kind::negotiation), IsEmpty());
}

// As many segments as a send buffer would hold: it is told once, be it as the one or as the other.
TEST_F(DataInPdus, that_look_like_a_small_send_buffer_are_told_once) {
    initiator_takes(pdu_length);
    store.connection(1).mss = 1448;
    reads();
    std::vector<Finding> found = find();
    std::erase_if(found, [](const Finding& finding) {
        return finding.kind != Kind::negotiation && finding.kind != Kind::send_buffer;
    });
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found.front().confidence, Finding::Confidence::possible);
    EXPECT_THAT(found.front().evidence, Contains(HasSubstr("from each to the next")));
}

}  // namespace
}  // namespace sanscope
