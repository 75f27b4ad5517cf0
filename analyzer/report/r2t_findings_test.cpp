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
using testing::Contains;
using testing::HasSubstr;

using Kind = Finding::Kind;

// A write that the target asks for data after `asked_ms`, which come `answered_ms` later and take 1 ms; its status comes
// `status_ms` behind them.
class FindingsOfR2ts : public Findings {
  protected:
    uint64_t add_write(int64_t begin_ms, int64_t asked_ms, int64_t answered_ms, int64_t status_ms) {
        const int64_t first_ms = begin_ms + asked_ms + answered_ms;
        const PacketNumber packet = 1000 + (2 * static_cast<PacketNumber>(begin_ms));
        const uint64_t number = add_command({.bytes = 65536,
                                             .request_packet = packet,
                                             .response_packet = packet + 1,
                                             .request_ns = begin_ms * ms,
                                             .first_data_ns = first_ms * ms,
                                             .last_data_ns = (first_ms + 1) * ms,
                                             .response_ns = (first_ms + 1 + status_ms) * ms,
                                             .name = "WRITE(16)",
                                             .r2ts = 1,
                                             .pdus = 4,
                                             .opcode = write_16,
                                             .status = 0,
                                             .outcome = Outcome::completed});
        store.add_permission_wait(store.command_marks(CommandNumber(number)),
                                  {begin_ms * ms, (begin_ms + asked_ms) * ms, 0});
        return number;
    }
    void add_writes(int64_t asked_ms, int64_t answered_ms, int64_t status_ms) {
        add_flow(add_initiator(), 9500);
        for (int64_t i = 0; i < 30; ++i) add_write(30 * i, asked_ms, answered_ms, status_ms);
    }
};

TEST_F(FindingsOfR2ts, an_initiator_that_answers_them_late_is_no_slow_target) {
    add_writes(3, 22, 3);
    EXPECT_TRUE(find(Kind::target_wait).empty());
    const Finding found = find_one(Kind::initiator_wait);
    EXPECT_EQ(found.title, "Half of the writes wait 22.0 ms or more for the initiator's data");
    EXPECT_EQ(found.side, Finding::Side::initiator);
    EXPECT_EQ(found.severity, Finding::Severity::problem);
    EXPECT_EQ(found.confidence, Finding::Confidence::likely);
    EXPECT_TRUE(find(Kind::nothing_wrong).empty());
}

// Far from the initiator, a round trip lies between an R2T and its data; and whoever held them is not seen.
TEST_F(FindingsOfR2ts, seen_at_the_target_may_have_been_held_on_the_path) {
    store.connection(1).vantage = Vantage::target;
    add_writes(3, 22, 3);
    const Finding found = find_one(Kind::initiator_wait);
    EXPECT_EQ(found.title,
              "Half of the writes wait 20.0 ms or more for the initiator's data, or on the path");
    EXPECT_EQ(found.side, Finding::Side::none);
    EXPECT_EQ(found.severity, Finding::Severity::notice);
    EXPECT_EQ(found.confidence, Finding::Confidence::possible);
}

TEST_F(FindingsOfR2ts, answered_at_once_leave_nothing_to_the_initiator) {
    add_writes(3, 1, 3);
    EXPECT_TRUE(find(Kind::initiator_wait).empty());
}

// What a target takes to ask for data is its own time.
TEST_F(FindingsOfR2ts, that_come_late_are_the_targets) {
    add_writes(24, 0, 2);
    EXPECT_TRUE(find(Kind::initiator_wait).empty());
    EXPECT_THAT(find_one(Kind::target_wait).evidence,
                Contains(HasSubstr("from the request to the first R2T")));
}

TEST_F(FindingsOfR2ts, and_statuses_that_come_late_are_told_of_both) {
    add_writes(12, 0, 12);
    EXPECT_THAT(find_one(Kind::target_wait).evidence,
                Contains(HasSubstr("to the first R2T, and from the last data to the status")));
}

TEST_F(FindingsOfR2ts, one_that_the_initiator_answered_late_made_its_command_slow) {
    add_flow(add_initiator(), 9500);
    for (int64_t i = 0; i < 60; ++i) add_write(10 * i, 3, 0, 2);
    add_write(610, 3, 300, 2);
    const Finding found = find_one(Kind::slow_commands);
    EXPECT_EQ(found.side, Finding::Side::initiator);
    EXPECT_THAT(found.explanation,
                HasSubstr("the initiator took 300 ms to send the first data that an R2T asked for"));
    store.connection(1).vantage = Vantage::target;
    EXPECT_EQ(find_one(Kind::slow_commands).confidence, Finding::Confidence::possible);
    EXPECT_EQ(find_one(Kind::slow_commands).side, Finding::Side::none);
}

TEST_F(Findings, waits_for_r2ts_are_told_as_a_share_of_the_writes_time) {
    add_window(add_initiator(), 0, {});
    for (int64_t i = 0; i < 30; ++i) {
        add_command({.bytes = 65536,
                     .response_packet = 5000,
                     .request_ns = 10 * i * ms,
                     .response_ns = (10 * i + 8) * ms,
                     .name = "WRITE(16)",
                     .r2ts = 2,
                     .opcode = write_16,
                     .status = 0,
                     .outcome = Outcome::completed});
    }
    EXPECT_THAT(find_one(Kind::r2t_waits).title, HasSubstr("waited for 2.0 R2Ts each: 50 % of their time"));
}

// RFC 7143 §13.17: R2Ts that are outstanding at once cost one round trip together.
TEST_F(Findings, r2ts_at_once_cost_one_round_trip) {
    SenderSummary& initiator = add_initiator();
    add_window(initiator, 0, {.limit = SendLimit::application});
    add_window(initiator, 1000, {});
    for (int64_t i = 0; i < 30; ++i) {
        add_command({.bytes = 1 << 20,
                     .response_packet = 5000,
                     .request_ns = 20 * i * ms,
                     .response_ns = (20 * i + 10) * ms,
                     .name = "WRITE(16)",
                     .r2ts = 4,
                     .opcode = write_16,
                     .status = 0,
                     .outcome = Outcome::completed});
    }
    EXPECT_THAT(find_one(Kind::r2t_waits).title, HasSubstr("waited for 4.0 R2Ts each: 80 % of their time"));
    store.session(1).max_outstanding_r2t = 2;
    const Finding finding = find_one(Kind::r2t_waits);
    EXPECT_THAT(finding.title, HasSubstr("waited for 4.0 R2Ts each: 40 % of their time"));
    EXPECT_THAT(finding.explanation, HasSubstr("up to 2 at once"));
    store.session(1).max_outstanding_r2t = 8;
    EXPECT_TRUE(find(Kind::r2t_waits).empty());
}

// Large writes now and then among small ones that wait for no R2T.
TEST_F(Findings, r2ts_of_a_few_writes_are_no_share_of_the_others_time) {
    SenderSummary& initiator = add_initiator();
    add_window(initiator, 0, {.limit = SendLimit::application});
    add_window(initiator, 1000, {});
    for (int64_t i = 0; i < 30; ++i) {
        const bool large = i % 10 == 0;
        add_command({.bytes = large ? 1u << 20 : 4096u,
                     .response_packet = 5000,
                     .request_ns = 20 * i * ms,
                     .response_ns = (20 * i + (large ? 14 : 3)) * ms,
                     .name = "WRITE(16)",
                     .r2ts = large ? 6u : 0u,
                     .opcode = write_16,
                     .status = 0,
                     .outcome = Outcome::completed});
    }
    EXPECT_TRUE(find(Kind::r2t_waits).empty());
}

}  // namespace
}  // namespace sanscope
