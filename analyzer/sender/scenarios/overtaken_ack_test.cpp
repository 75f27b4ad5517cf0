// SPDX-License-Identifier: GPL-3.0-or-later
// RFC 7323 §5: an acknowledgement that later ones overtook has an older timestamp than they, and is thrown away unread. What its
// D-SACK would have undone stays, though it tells of what was sent again for nothing.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"
#include "analyzer/sender/scenarios/script.h"

namespace sanscope::simulated {
namespace {

// One recovery; then three segments more, and a D-SACK that was sent so long before their acknowledgement: it comes before it, or
// behind it.
Script recovery_with_a_dsack(double sooner_ms, bool behind) {
    Script script;
    for (uint32_t n = 0; n < 10; ++n) script.at(n * 0.01).sends(n, n + 1);
    script.at(20.01).hears(0, {{1, 2}}).sends(10, 11);
    script.at(20.02).hears(0, {{1, 3}}).sends(11, 12);
    script.at(20.03).hears(0, {{1, 4}}).holds({.cwnd = 9, .state = CaState::recovery}).sends_again(0);
    script.at(40.01).hears(11);
    script.at(40.02).hears(12).holds({.cwnd = 7, .ssthresh = 7, .state = CaState::open});
    script.at(41).sends(12, 15);
    constexpr double given_ms = 51;
    if (!behind) script.at(given_ms + 10 - sooner_ms).hears(12, {{0, 1}});
    script.at(given_ms + 10).hears(15).given(given_ms);
    if (behind) script.at(given_ms + 11).hears(12, {{0, 1}}).given(given_ms - sooner_ms);
    return script;
}

TEST(OvertakenAck, UndoesNothing) {
    Script in_time = recovery_with_a_dsack(15, false);
    in_time.holds({.cwnd = 10, .ssthresh = Script::no_ssthresh});
    in_time.check();
    Script late = recovery_with_a_dsack(15, true);
    late.holds({.cwnd = 7, .ssthresh = 7});
    late.check();
    const Replayed replayed(late.events(), late.sender_options());
    EXPECT_EQ(replayed.losses(LossKind::spurious), 1u);
}

// Timestamps tick once a millisecond: what is older by one tick may be of the same moment (TCP_PAWS_WINDOW).
TEST(OvertakenAck, OfTheSameMomentIsRead) {
    Script script = recovery_with_a_dsack(1, true);
    script.holds({.cwnd = 10, .ssthresh = Script::no_ssthresh});
    script.check();
}

}  // namespace
}  // namespace sanscope::simulated
