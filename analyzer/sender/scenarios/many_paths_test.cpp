// SPDX-License-Identifier: GPL-3.0-or-later
// Paths, senders and mishaps by the dozen, drawn by number: what no one thought of. Two implementations written apart from
// each other, the simulated sender and the replay, must say the same of nearly all; where the last word is a matter of
// microseconds (RACK's reordering window), or of which of two reductions an unknown sender makes, a few may differ.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

class Draw {
  public:
    explicit Draw(uint32_t seed) : engine_(seed) {}
    uint32_t below(uint32_t limit) { return static_cast<uint32_t>(engine_()) % limit; }
    uint32_t any() { return static_cast<uint32_t>(engine_()); }
    bool one_in(uint32_t n) { return below(n) == 0; }

  private:
    std::mt19937 engine_;
};

Simulation::Options any_path(Draw& draw) {
    const int64_t rtt_ns = (5 + draw.below(80)) * millisecond;
    const uint64_t megabits = 5 * (1 + draw.below(40));
    Simulation::Options options = path_of(rtt_ns, megabits, 20 + draw.below(200));
    options.sender.control =
        draw.one_in(2) ? SimulatedSender::Control::reno : SimulatedSender::Control::cubic_without_hystart;
    options.sender.timestamps = !draw.one_in(4);
    options.sender.ecn = draw.one_in(4);
    if (options.sender.ecn) options.data.mark_from = 10 + draw.below(60);
    options.sender.first_byte = Serial32(draw.any());
    options.receiver.delayed_acks = !draw.one_in(3);
    return options;
}

// Single losses, reordering, or bursts of losses.
void mishaps(Draw& draw, Simulation& simulation) {
    const uint32_t sort = draw.below(3);
    for (uint32_t times = 1 + draw.below(8); times > 0; --times) {
        const uint32_t at = 20 + draw.below(2500);
        if (sort == 0) simulation.data_link().drop(simulation.segment(at));
        if (sort == 1)
            simulation.data_link().hold(simulation.segment(at), (1 + draw.below(40)) * millisecond);
        if (sort == 2)
            for (uint32_t n = draw.below(12); n > 0; --n)
                simulation.data_link().drop(simulation.segment(at + n));
    }
}

TEST(ManyPaths, AreToldTheSameByTwoImplementations) {
    constexpr uint32_t runs = 50;
    uint32_t same = 0;
    uint32_t close = 0;
    for (uint32_t seed = 0; seed < runs; ++seed) {
        Draw draw(seed);
        Simulation simulation(any_path(draw));
        mishaps(draw, simulation);
        simulation.write_segments_at(0, 3000);
        simulation.run_for(3 * second);

        const Replayed replayed(simulation);
        same += static_cast<bool>(same_transitions(simulation, replayed));
        std::vector<double> errors;
        for (const TruthSample& sample : simulation.truth()) {
            const uint32_t said = replayed.cwnd_after(sample.packet);
            const double truth = sample.figures.cwnd;
            errors.push_back(said == unknown<uint32_t> ? 1 : std::abs(said - truth) / truth);
        }
        std::sort(errors.begin(), errors.end());
        close += errors[errors.size() / 2] <= 0.01 && errors[errors.size() * 9 / 10] <= 0.1;
    }
    EXPECT_GE(same, runs * 9 / 10);
    EXPECT_GE(close, runs * 9 / 10);
}

}  // namespace
}  // namespace sanscope::simulated
