// SPDX-License-Identifier: GPL-3.0-or-later
// RFC 5682 §3.1: a timeout that F-RTO finds spurious makes the retransmission a spurious one; nothing was lost.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"
#include "analyzer/sender/scenarios/script.h"

namespace sanscope::simulated {
namespace {

TEST(SpuriousTimeoutKind, IsSpuriousWhenFRtoTells) {
    Script script({.timestamps = false});
    for (uint32_t n = 0; n < 10; ++n) script.at(n * 0.01).sends(n, n + 1);
    script.at(224).sends_again(0);
    script.at(230).hears(1).sends(10, 12);
    script.at(230.1).hears(2).holds({.state = CaState::open});
    script.check();

    const Replayed replayed(script.events(), script.sender_options());
    EXPECT_EQ(replayed.losses(LossKind::spurious), 1u);
    EXPECT_EQ(replayed.losses(), 1u);
}

}  // namespace
}  // namespace sanscope::simulated
