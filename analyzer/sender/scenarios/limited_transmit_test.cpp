// SPDX-License-Identifier: GPL-3.0-or-later
// RFC 3042: the first two duplicate acknowledgements each let a new segment out; the window stays, and where the hole
// closes by itself nothing was lost.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"
#include "analyzer/sender/scenarios/script.h"

namespace sanscope::simulated {
namespace {

class LimitedTransmit : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Sack, LimitedTransmit, testing::Bool());

TEST_P(LimitedTransmit, SendsNewDataForEachDuplicateAndLeavesTheWindow) {
    Script script({.sack = GetParam()});
    const auto sacks = [&](uint32_t end) {
        return GetParam() ? std::vector<Script::Range>{{1, end}} : std::vector<Script::Range>{};
    };
    for (uint32_t n = 0; n < 10; ++n) script.at(n * 0.01).sends(n, n + 1);
    script.at(20.01)
        .hears(0, sacks(2))
        .holds({.cwnd = 10, .in_flight = 9, .state = CaState::disorder})
        .sends(10, 11);
    script.holds({.cwnd = 10, .in_flight = 10});
    script.at(20.02)
        .hears(0, sacks(3))
        .holds({.cwnd = 10, .in_flight = 9, .state = CaState::disorder})
        .sends(11, 12);
    script.at(20.1).hears(3).holds({.ssthresh = Script::no_ssthresh, .state = CaState::open});
    script.enters({CaState::disorder, CaState::open});
    script.check();

    const Replayed replayed(script.events(), script.sender_options());
    EXPECT_EQ(replayed.losses(), 0u);
}

}  // namespace
}  // namespace sanscope::simulated
