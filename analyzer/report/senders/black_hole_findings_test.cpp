// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "analyzer/report/testing/findings_fixture.h"
#include "analyzer/scsi/opcodes.h"

namespace sanscope {
namespace {

using scsi_op::read_16;
using test::Findings;
using test::ms;
using test::mss;

using Kind = Finding::Kind;

TEST_F(Findings, full_segments_that_never_arrive_where_small_ones_do_are_a_smaller_mtu) {
    SenderSummary& target = add_target();
    ConnectionRow& row = store.connection(1);
    row.mss = 8948;
    row.vantage = Vantage::target;
    row.in = {.largest_payload = 8948,
              .largest_acknowledged = 336,
              .unacknowledged = 63'000,
              .acknowledged_ns = 10 * ms,
              .answers_since = 3};
    add_window(target, 0, {.snd_una = 1, .snd_nxt = 63'001});
    add_window(target, 210, {.snd_una = 1, .snd_nxt = 63'001, .ca_state = CaState::loss});
    add_window(target, 1000, {.snd_una = 1, .snd_nxt = 63'001, .ca_state = CaState::loss});
    add_loss(target, LossKind::rto, 210);
    add_loss(target, LossKind::rto, 630);
    add_command({.request_ns = 5 * ms, .name = "READ(16)", .opcode = read_16});
    const std::vector<Finding> found = find();
    EXPECT_EQ(found.front().kind, Kind::mtu_black_hole);
    EXPECT_EQ(found.front().severity, Finding::Severity::problem);
    // The other ones follow from it.
    EXPECT_EQ(std::ranges::count(found, Finding::Severity::problem, &Finding::severity), 1);
    // A full segment that was acknowledged says that the path carries them: then it is an outage.
    row.in.largest_acknowledged = 8948;
    EXPECT_TRUE(find(Kind::mtu_black_hole).empty());
    EXPECT_EQ(find(Kind::retransmission_timeout).size(), 1u);
}

}  // namespace
}  // namespace sanscope
