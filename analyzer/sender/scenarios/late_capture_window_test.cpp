// SPDX-License-Identifier: GPL-3.0-or-later
// A capture that begins in the middle of a connection: nothing is known of the window at first, but a sender that always
// fills it shows it, and nothing that happened before is taken for a loss.
#include <cmath>
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

std::vector<SenderEvent> from(const Simulation& simulation, int64_t since_start_ns) {
    std::vector<SenderEvent> kept;
    for (const SenderEvent& event : simulation.events()) {
        const int64_t time_ns = std::visit([](const auto& e) { return e.time_ns; }, event);
        if (time_ns >= simulation.absolute(since_start_ns)) kept.push_back(event);
    }
    return kept;
}

class LateCaptureWindow : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Milliseconds, LateCaptureWindow, testing::Values(3003, 3021, 4110, 5555));

// Reno fills its path all the time: within some round trips its window is known.
TEST_P(LateCaptureWindow, FindsTheWindowOfASenderThatFillsIt) {
    Simulation simulation(path_of(40 * millisecond, 10, 60));
    simulation.write_segments_at(0, 100'000);
    simulation.run_for(20 * second);
    const int64_t begins_ns = GetParam() * millisecond;
    SenderOptions options = simulation.sender_options();
    options.mss = 0;

    const Replayed replayed(from(simulation, begins_ns), options);
    const Closely later{.segments = 1, .share = 0.05, .from_ns = begins_ns + second};
    size_t compared = 0;
    size_t close = 0;
    for (const TruthSample& sample : simulation.truth()) {
        if (sample.time_ns < simulation.absolute(later.from_ns)) continue;
        const WindowRow* row = replayed.window_after(sample.packet);
        ASSERT_NE(row, nullptr);
        const double truth = static_cast<double>(sample.figures.cwnd) * simulation.mss();
        ++compared;
        close +=
            row->cwnd != unknown<uint32_t> && std::abs(row->cwnd - truth) <= 0.05 * truth + simulation.mss();
    }
    EXPECT_GE(static_cast<double>(close), 0.9 * static_cast<double>(compared));
}

}  // namespace
}  // namespace sanscope::simulated
