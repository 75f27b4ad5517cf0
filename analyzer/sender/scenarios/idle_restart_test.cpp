// SPDX-License-Identifier: GPL-3.0-or-later
// RFC 2861 §3.1 and Linux tcp_output.c, tcp_cwnd_restart: with nothing outstanding, the window halves for each timeout's
// time of silence, seen at the next send, and not below the initial window; the threshold keeps three quarters.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

class IdleRestart : public testing::TestWithParam<std::pair<int64_t, uint32_t>> {};
// Round trip 20 ms, so that the timeout is 220 ms.
INSTANTIATE_TEST_SUITE_P(Halvings, IdleRestart,
                         testing::Values(std::pair{150, 160u}, std::pair{330, 80u}, std::pair{550, 40u},
                                         std::pair{770, 20u}, std::pair{5000, 10u}));

TEST_P(IdleRestart, HalvesTheWindowOnceATimeout) {
    const auto [idle_ms, window] = GetParam();
    Simulation simulation(path_of(20 * millisecond, 1000, 10'000));
    // 10, 20, 40 and 80: the last is acknowledged at 80 ms, and went out at 60.
    simulation.write_segments_at(0, 150);
    simulation.write_segments_at(60 * millisecond + idle_ms * millisecond, 5);
    simulation.run_for((60 + idle_ms + 10) * millisecond);
    ASSERT_NEAR(simulation.sender().figures().cwnd, window, window / 16);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_cwnd(simulation, replayed));
    EXPECT_TRUE(replayed.transitions().empty());
}

// A host without it (net.ipv4.tcp_slow_start_after_idle = 0) sends its whole window at once: from then on none is restarted.
Simulation::Options no_restart() {
    Simulation::Options options = path_of(20 * millisecond, 1000, 10'000);
    options.sender.slow_start_after_idle = false;
    return options;
}
void write_four_times(Simulation& simulation, uint64_t bytes) {
    for (const int64_t at : {0, 2, 4, 6}) simulation.write_at(at * second, bytes);
    simulation.run_for(7 * second);
}
constexpr int64_t whole_flight = 2 * second + 5 * millisecond;

TEST(IdleRestartDisproved, LeavesTheWindowAsItWas) {
    Simulation simulation(no_restart());
    write_four_times(simulation, 149 * 1448 + 500);
    const Replayed replayed(simulation);
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.segments = 10, .from_ns = whole_flight}));
    EXPECT_TRUE(same_limit(simulation, replayed, .99, {.from_ns = whole_flight}));
    EXPECT_TRUE(replayed.transitions().empty());
}

TEST(IdleRestartDisproved, IsNotSaidToBeTheWindowOfWholeSegments) {
    Simulation simulation(no_restart());
    write_four_times(simulation, 150 * 1448);
    EXPECT_TRUE(no_false_limit(simulation, Replayed(simulation), .99, {.from_ns = whole_flight}));
}

TEST(IdleRestartAfterALoss, KeepsThreeQuartersInTheThreshold) {
    Simulation::Options options = path_of(20 * millisecond, 1000, 10'000);
    Simulation simulation(options);
    simulation.write_segments_at(0, 3000);
    simulation.data_link().drop(simulation.segment(300));
    simulation.write_segments_at(3 * second, 300);
    simulation.run_for(4 * second);

    const Replayed replayed(simulation);
    EXPECT_TRUE(same_transitions(simulation, replayed));
    EXPECT_TRUE(same_cwnd(simulation, replayed, {.segments = 1, .from_ns = 3 * second}));
    EXPECT_TRUE(same_ssthresh(simulation, replayed, {.segments = 1, .from_ns = 3 * second}));
}

}  // namespace
}  // namespace sanscope::simulated
