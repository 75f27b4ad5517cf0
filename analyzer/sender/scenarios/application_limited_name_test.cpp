// SPDX-License-Identifier: GPL-3.0-or-later
// Linux tcp.h, tcp_is_cwnd_limited: where the application holds the sender back, Reno and CUBIC alike leave the
// window as it is. Writes that come at moments of their own look like pacing, and losses among them distinguish reductions
// but seldom: another congestion control than the sender's is never named.
#include <gtest/gtest.h>
#include <random>
#include <string>

#include "analyzer/sender/scenarios/captured.h"
#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

// Commands of a few sizes, each written at a moment of its own, now and then one behind another.
struct Load {
    uint32_t seed;
    uint32_t most_segments;
    int64_t most_pause_ns;
    uint32_t loss_one_in;
};

void put_on(Simulation& simulation, const Load& load, int64_t duration_ns) {
    std::mt19937 draw(load.seed);
    const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(draw()) % limit; };
    uint32_t segments = 0;
    for (int64_t at = 0; at < duration_ns;) {
        const uint32_t whole = 1 + below(load.most_segments);
        simulation.write_segments_at(at, whole);
        segments += whole;
        if (below(8) != 0) at += below(static_cast<uint32_t>(load.most_pause_ns));
    }
    for (uint32_t n = 20; load.loss_one_in != 0 && n < segments; ++n) {
        if (below(load.loss_one_in) == 0) simulation.data_link().drop(simulation.segment(n));
    }
}

class ApplicationLimited : public testing::TestWithParam<SimulatedSender::Control> {
  protected:
    static const char* truth() { return GetParam() == SimulatedSender::Control::reno ? "reno" : "cubic"; }
    static bool is_wrong(const char* name) { return *name != '\0' && std::string(name) != truth(); }
};

TEST_P(ApplicationLimited, IsGivenNoWrongName) {
    for (uint32_t seed = 0; seed < 16; ++seed) {
        Simulation::Options options = path_of((1 + seed % 7) * 2 * millisecond, 400, 5000);
        options.sender.control = GetParam();
        Simulation simulation(options);
        const Load load{seed, 3u << (seed % 4), (1 + seed % 5) * millisecond,
                        seed % 3 == 0 ? 0 : 400 / (seed % 3)};
        put_on(simulation, load, 2 * second);
        simulation.run_for(3 * second);

        const Replayed replayed(simulation);
        EXPECT_FALSE(is_wrong(replayed.congestion_control())) << seed << ' ' << replayed.congestion_control();
        const Captured captured(simulation, simulation.at_receiver());
        ASSERT_NE(captured.sender(), nullptr);
        EXPECT_FALSE(is_wrong(captured.sender()->congestion_control()))
            << seed << ' ' << captured.sender()->congestion_control();
    }
}

INSTANTIATE_TEST_SUITE_P(Controls, ApplicationLimited,
                         testing::Values(SimulatedSender::Control::reno, SimulatedSender::Control::cubic),
                         control_name);

}  // namespace
}  // namespace sanscope::simulated
