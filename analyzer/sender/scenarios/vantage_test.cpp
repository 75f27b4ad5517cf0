// SPDX-License-Identifier: GPL-3.0-or-later
// A capture taken at the receiver or between shows segments after they were sent and acknowledgements before they were
// heard, and lacks what was lost on its way there: the sender goes through the same states all the same, each within a
// round trip, and its window is found.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "analyzer/sender/scenarios/captured.h"
#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

struct Path {
    const char* name;
    SimulatedSender::Control control;
    int64_t rtt_ns;
    uint64_t megabits_per_second;
    uint32_t queue_segments;
    bool sack;
};

class Vantage : public testing::TestWithParam<Path> {
  protected:
    // The first overflow loses the end of a flight too, which no capture behind the queue ever shows.
    static Simulation::Options options() {
        const Path& path = GetParam();
        Simulation::Options options = path_of(path.rtt_ns, path.megabits_per_second, path.queue_segments);
        options.sender.control = path.control;
        options.sender.sack = path.sack;
        return options;
    }
    static void expect_same(const Simulation& simulation, const std::vector<TappedSegment>& tap) {
        const Captured captured(simulation, tap);
        const std::vector<TrueTransition> said = captured.transitions();
        const std::vector<TrueTransition>& truth = simulation.transitions();
        ASSERT_GT(truth.size(), 4u);
        std::string so;
        std::string told;
        for (const TrueTransition& t : truth) so += in_words(t.to) + " ";
        for (const TrueTransition& t : said) told += in_words(t.to) + " ";
        EXPECT_EQ(told, so);
        for (size_t i = 0; i < std::min(said.size(), truth.size()); ++i)
            EXPECT_LE(std::abs(said[i].time_ns - truth[i].time_ns), GetParam().rtt_ns) << i;

        std::vector<double> errors;
        for (const TruthSample& sample : simulation.truth()) {
            const std::optional<WindowRow> row = captured.window_at(sample.time_ns);
            if (!row || row->cwnd == unknown<uint32_t>) continue;
            const double cwnd = static_cast<double>(sample.figures.cwnd) * simulation.mss();
            errors.push_back(std::abs(row->cwnd - cwnd) / cwnd);
        }
        ASSERT_GT(errors.size(), simulation.truth().size() / 2);
        std::sort(errors.begin(), errors.end());
        EXPECT_LE(errors[errors.size() / 2], 0.05);
        EXPECT_LE(errors[errors.size() * 9 / 10], 0.2);
    }
};

INSTANTIATE_TEST_SUITE_P(
    Paths, Vantage,
    testing::Values(Path{"Reno", SimulatedSender::Control::reno, 20 * millisecond, 50, 60, true},
                    Path{"RenoWithoutSack", SimulatedSender::Control::reno, 20 * millisecond, 10, 20, false},
                    Path{"Cubic", SimulatedSender::Control::cubic, 40 * millisecond, 20, 100, true}),
    [](const auto& path) { return std::string(path.param.name); });

TEST_P(Vantage, ReceiversCaptureTellsTheSendersStatesAndWindow) {
    Simulation simulation(options());
    simulation.write_segments_at(0, 20'000);
    simulation.run_for(6 * second);
    expect_same(simulation, simulation.at_receiver());
}

TEST_P(Vantage, CaptureBetweenTellsTheSendersStatesAndWindow) {
    Simulation simulation(options());
    simulation.write_segments_at(0, 20'000);
    simulation.run_for(6 * second);
    expect_same(simulation, simulation.between());
}

}  // namespace
}  // namespace sanscope::simulated
