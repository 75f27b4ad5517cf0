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
using testing::HasSubstr;

using Kind = Finding::Kind;

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
