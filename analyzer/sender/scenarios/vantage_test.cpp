// SPDX-License-Identifier: GPL-3.0-or-later
// What a sender held does not depend on where the capture was taken: at the receiver or between, the rows are placed at
// the sender's time, and say the same, some segments apart where the order of a send and an acknowledgement is not seen.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <string>

#include "analyzer/sender/scenarios/captured.h"
#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

// Where the capture was taken.
class VantageOf : public testing::TestWithParam<std::string> {
  protected:
    VantageOf() : simulation(options()) {
        simulation.write_segments_at(0, 20'000);
        simulation.run_for(20 * second);
    }
    static Simulation::Options options() {
        Simulation::Options options = path_of(40 * millisecond, 10, 20);
        options.sender.control = SimulatedSender::Control::cubic;
        return options;
    }
    const std::vector<TappedSegment>& tap() const {
        if (GetParam() == "Sender") return simulation.at_sender();
        return GetParam() == "Middle" ? simulation.between() : simulation.at_receiver();
    }

    Simulation simulation;
};
INSTANTIATE_TEST_SUITE_P(CapturedAt, VantageOf, testing::Values("Sender", "Middle", "Receiver"),
                         [](const testing::TestParamInfo<std::string>& tap) { return tap.param; });

TEST_P(VantageOf, TellsTheSameTransitionsWithinARoundTrip) {
    ASSERT_GT(simulation.transitions().size(), 8u);
    const Captured captured(simulation, tap());
    const std::vector<TrueTransition> said = captured.transitions();
    const std::vector<TrueTransition>& truth = simulation.transitions();
    ASSERT_EQ(said.size(), truth.size());
    for (size_t i = 0; i < said.size(); ++i) {
        EXPECT_EQ(in_words(said[i].to), in_words(truth[i].to)) << i;
        EXPECT_NEAR(static_cast<double>(said[i].time_ns), static_cast<double>(truth[i].time_ns),
                    60 * millisecond)
            << i;
    }
}

TEST_P(VantageOf, TellsTheWindowWithinAFifthNineTimesOfTen) {
    const Captured captured(simulation, tap());
    std::vector<double> errors;
    for (const TruthSample& sample : simulation.truth()) {
        if (sample.packet % 20 != 0) continue;
        const WindowRow* row = captured.window_at(sample.time_ns);
        const double truth = sample.figures.cwnd * static_cast<double>(simulation.mss());
        errors.push_back(
            row == nullptr || row->cwnd == unknown<uint32_t> ? 1 : std::abs(row->cwnd - truth) / truth);
    }
    std::sort(errors.begin(), errors.end());
    ASSERT_GT(errors.size(), 200u);
    EXPECT_LE(errors[errors.size() / 2], 0.05);
    EXPECT_LE(errors[errors.size() * 9 / 10], 0.2);
}

}  // namespace
}  // namespace sanscope::simulated
