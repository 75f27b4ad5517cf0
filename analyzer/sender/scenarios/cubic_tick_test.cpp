// SPDX-License-Identifier: GPL-3.0-or-later
// Linux counts CUBIC's time in ticks of 4 ms, which nobody outside sees: small windows over short paths grow sooner or later by
// whole segments with them.
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <random>

#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

// Writes of 8 KiB, one after the other, of which one segment in a hundred and fifty is lost.
std::unique_ptr<Simulation> small_writes(int64_t tick_phase_ns) {
    Simulation::Options options = path_of(1500 * microsecond, 100, 1000);
    options.sender.control = SimulatedSender::Control::ticking_cubic;
    options.sender.tick_phase_ns = tick_phase_ns;
    auto simulation = std::make_unique<Simulation>(options);
    std::mt19937 draw(7);
    constexpr uint32_t writes = 2000;
    constexpr uint32_t bytes = 8240;
    for (uint32_t n = 0; n < writes; ++n) simulation->write_at(n * 3 * millisecond, bytes);
    for (uint32_t n = 40; n < writes * bytes / simulation->mss(); ++n) {
        if (draw() % 150 == 0) simulation->data_link().drop(simulation->segment(n));
    }
    simulation->run_for(writes * 3 * millisecond);
    return simulation;
}

TEST(CubicTick, WheneverItComesTheIntervalHoldsTheWindow) {
    for (int64_t phase_ns = 0; phase_ns < 4 * millisecond; phase_ns += millisecond / 2) {
        const auto simulation = small_writes(phase_ns);
        const Replayed replayed(*simulation);
        EXPECT_TRUE(interval_holds(*simulation, replayed, 0.9)) << phase_ns;
    }
}

// By where the sender stops, as soon as it has to at all.
TEST(CubicTick, IsFound) {
    for (int64_t phase_ns = 0; phase_ns < 4 * millisecond; phase_ns += millisecond) {
        const auto simulation = small_writes(phase_ns);
        const Replayed replayed(*simulation);
        EXPECT_TRUE(same_cwnd(*simulation, replayed, {.segments = 1, .from_ns = 3 * second})) << phase_ns;
    }
}

}  // namespace
}  // namespace sanscope::simulated
