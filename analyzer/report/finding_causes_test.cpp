// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/finding_causes.h"

#include <gtest/gtest.h>

#include "analyzer/base/testing/durations.h"

namespace sanscope {
namespace {

using Kind = Finding::Kind;
using Severity = Finding::Severity;

using test::ms;

Finding made(Kind kind, int64_t begin_ms, int64_t end_ms, int64_t cost_ms) {
    Finding finding;
    finding.kind = kind;
    finding.severity = Severity::notice;
    finding.connection = 1;
    finding.session = 1;
    finding.begin_ns = begin_ms * ms;
    finding.end_ns = end_ms * ms;
    finding.cost_ns = cost_ms * ms;
    return finding;
}

// Whether the second is told as a consequence of the first.
bool follows(const Finding& cause, const Finding& consequence) {
    FindingList list = {cause, consequence};
    put_causes_first(list);
    return list[1].severity == Severity::information;
}

TEST(FindingCauses, hide_what_the_target_did_only_at_that_time) {
    const Finding timeout = made(Kind::retransmission_timeout, 100, 300, 200);
    Finding slow = made(Kind::slow_commands, 250, 1250, 1000);
    slow.side = Finding::Side::target;
    EXPECT_TRUE(follows(timeout, slow));
    slow.begin_ns += 5000 * ms;
    slow.end_ns += 5000 * ms;
    EXPECT_FALSE(follows(timeout, slow)) << "all timeouts together are shorter than that command";
}

// An answer that stands behind others in the target's socket looks like one that was not ready.
TEST(FindingCauses, of_what_stood_behind_large_transfers_are_these_whatever_side_it_seems_to_be) {
    const Finding behind = made(Kind::head_of_line, 0, 2000, 700);
    Finding slow = made(Kind::slow_commands, 100, 160, 1000);
    slow.side = Finding::Side::target;
    EXPECT_TRUE(follows(behind, slow));
    slow.connection = slow.session = 2;
    EXPECT_FALSE(follows(behind, slow)) << "of another connection";
}

TEST(FindingCauses, of_a_target_that_waits_all_the_time_are_no_stalls_now_and_then) {
    const Finding wait = made(Kind::target_wait, 0, 20, 10'000);
    EXPECT_TRUE(follows(made(Kind::stalling_command, 100, 600, 6'000), wait));
    EXPECT_FALSE(follows(made(Kind::stalling_command, 100, 600, 500), wait));
}

TEST(FindingCauses, of_one_logical_unit_are_none_of_another) {
    Finding wait = made(Kind::target_wait, 0, 20, 10'000);
    Finding slow = made(Kind::slow_commands, 0, 20, 1'000);
    slow.side = Finding::Side::target;
    wait.lun = slow.lun = 1;
    EXPECT_TRUE(follows(wait, slow));
    slow.lun = 2;
    EXPECT_FALSE(follows(wait, slow));
}

TEST(FindingCauses, of_one_connections_tcp_are_none_of_anothers_in_the_same_session) {
    const Finding lost = made(Kind::lost_segments, 0, 20, 100);
    Finding window = made(Kind::congestion_window, 0, 20, 100);
    EXPECT_TRUE(follows(lost, window));
    window.connection = 2;
    EXPECT_FALSE(follows(lost, window));
    // But commands of the session wait for it.
    Finding slow = made(Kind::slow_commands, 0, 20, 100);
    slow.connection = 2;
    EXPECT_TRUE(follows(lost, slow));
}

}  // namespace
}  // namespace sanscope
