// SPDX-License-Identifier: GPL-3.0-or-later
// Linux tcp_write_xmit: a sender that has more in its socket than its windows allow is held back by these. Captured at the
// receiver, where its window is known no better than by estimate.
#include <gtest/gtest.h>
#include <random>

#include "analyzer/sender/scenarios/captured.h"
#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

double share(const SenderSummary& sender, SendLimit limit) {
    return static_cast<double>(sender.limited_ns(limit)) / static_cast<double>(sender.observed_ns());
}

class LimitFromAfar : public testing::TestWithParam<SimulatedSender::Control> {
  protected:
    static Simulation::Options path(uint32_t seed) {
        Simulation::Options options = path_of((2 + seed % 4) * 2 * millisecond, 200, 5000);
        options.sender.control = GetParam();
        return options;
    }
    // One segment in a hundred.
    static void lose(Simulation& simulation, uint32_t seed, uint32_t segments) {
        std::mt19937 draw(seed);
        for (uint32_t n = 20; n < segments; ++n) {
            if (draw() % 100 == 0) simulation.data_link().drop(simulation.segment(n));
        }
    }
};

TEST_P(LimitFromAfar, OfASenderThatAlwaysHasMoreIsNotItsApplication) {
    for (uint32_t seed = 0; seed < 8; ++seed) {
        Simulation simulation(path(seed));
        constexpr uint32_t segments = 8000;
        simulation.write_segments_at(0, segments);
        lose(simulation, seed, segments);
        simulation.run_for(4 * second);
        const Captured captured(simulation, simulation.at_receiver());
        ASSERT_NE(captured.sender(), nullptr);
        EXPECT_LT(share(*captured.sender(), SendLimit::application), 0.03) << seed;
        EXPECT_GT(share(*captured.sender(), SendLimit::congestion), 0.6) << seed;
    }
}

// What it writes ends with a short segment, as PDUs do.
TEST_P(LimitFromAfar, OfASenderThatHasNoMoreIsItsApplication) {
    for (uint32_t seed = 0; seed < 8; ++seed) {
        Simulation simulation(path(seed));
        for (int64_t i = 0; i < 200; ++i) simulation.write_at(i * 20 * millisecond, 4096 + 48);
        simulation.run_for(4 * second);
        const Captured captured(simulation, simulation.at_receiver());
        ASSERT_NE(captured.sender(), nullptr);
        EXPECT_GT(share(*captured.sender(), SendLimit::application), 0.95) << seed;
    }
}

INSTANTIATE_TEST_SUITE_P(Controls, LimitFromAfar,
                         testing::Values(SimulatedSender::Control::reno, SimulatedSender::Control::cubic),
                         control_name);

}  // namespace
}  // namespace sanscope::simulated
