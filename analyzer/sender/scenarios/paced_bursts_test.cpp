// SPDX-License-Identifier: GPL-3.0-or-later
// draft-cardwell-iccrg-bbr-congestion-control-00 §4.2.1: a sender that paces waits between bursts although its window has room. As
// long as that may be what it does, nobody knows whether its application had more.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/script.h"

namespace sanscope::simulated {
namespace {

// At 2.89 windows of ten segments a round trip, a segment takes 0.7 ms.
TEST(PacedBursts, AreNotSaidToBeTheApplications) {
    Script script({.rtt_ms = 20});
    script.at(0).sends(0, 1);
    script.at(0.7).sends(1, 2);
    script.at(1.4).sends(2, 3).holds({.limit = SendLimit::unknown});
    script.at(2.1).sends(3, 4).holds({.limit = SendLimit::unknown});
    script.at(2.8).sends(4, 5);
    script.check();
}

TEST(PacedBursts, LaterOnesAre) {
    Script script({.rtt_ms = 20});
    script.at(0).sends(0, 2).holds({.limit = SendLimit::application});
    script.at(4).sends(2, 4).holds({.limit = SendLimit::application});
    script.at(8).sends(4, 6);
    script.check();
}

// At a rate that was set for it (SO_MAX_PACING_RATE): what an application writes would end with a full segment now and then at most.
TEST(PacedBursts, OfWholeSegmentsAgainAndAgainAreNotSaidToBeTheApplications) {
    Script script({.rtt_ms = 20});
    script.at(0).sends(0, 2);
    script.at(4).sends(2, 4).holds({.limit = SendLimit::application});
    script.at(8).sends(4, 6).holds({.limit = SendLimit::unknown});
    script.at(12).sends(6, 8).holds({.limit = SendLimit::unknown});
    script.at(16).sends(8, 9);
    script.check();
}

}  // namespace
}  // namespace sanscope::simulated
