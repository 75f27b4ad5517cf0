// SPDX-License-Identifier: GPL-3.0-or-later
// A sender may have a congestion control that is no candidate: then none is named, however much less one is contradicted than the
// others.
#include <gtest/gtest.h>

#include "analyzer/sender/scenarios/replayed.h"

namespace sanscope::simulated {
namespace {

using Control = SimulatedSender::Control;

struct Path {
    int64_t rtt_ns;
    uint64_t megabits_per_second;
    uint32_t queue_segments;
};

class ControlOfItsOwn : public testing::TestWithParam<Path> {
  protected:
    static std::string name_of(Control control, uint32_t lose_each = 0) {
        const auto [rtt_ns, megabits_per_second, queue_segments] = GetParam();
        Simulation::Options options = path_of(rtt_ns, megabits_per_second, queue_segments);
        options.sender.control = control;
        Simulation simulation(options);
        simulation.write_segments_at(0, 100'000);
        if (lose_each > 0) {
            for (uint32_t n = lose_each; n < 40'000; n += lose_each)
                simulation.data_link().drop(simulation.segment(n));
        }
        simulation.run_for(30 * second);
        return Replayed(simulation).congestion_control();
    }
};
INSTANTIATE_TEST_SUITE_P(Path, ControlOfItsOwn,
                         testing::Values(Path{40 * millisecond, 10, 40}, Path{5 * millisecond, 20, 30},
                                         Path{10 * millisecond, 50, 60}));

TEST_P(ControlOfItsOwn, ThatGrowsAQuarterAsFastAsRenoIsNotReno) {
    EXPECT_EQ(name_of(Control::reno_shared_by_four), "");
}

TEST_P(ControlOfItsOwn, ThatHoldsStillWhereTheQueueBeginsHasNoName) {
    EXPECT_EQ(name_of(Control::vegas), "");
    // So far apart that it reaches the queue between two losses: sooner lost again, it never does anything but what Reno does.
    EXPECT_EQ(name_of(Control::vegas, 3000), "");
}

// Its window is smaller than any that is replayed: what it does not send then, it has all the same.
TEST_P(ControlOfItsOwn, IsNotSaidToHaveNothingToSend) {
    for (const Control control : {Control::vegas, Control::reno_shared_by_four}) {
        const auto [rtt_ns, megabits_per_second, queue_segments] = GetParam();
        Simulation::Options options = path_of(rtt_ns, megabits_per_second, queue_segments);
        options.sender.control = control;
        Simulation simulation(options);
        simulation.write_segments_at(0, 100'000);
        simulation.run_for(10 * second);
        EXPECT_TRUE(no_false_limit(simulation, Replayed(simulation), .98));
    }
}

// What has to be told apart from these is named on the same paths.
TEST_P(ControlOfItsOwn, IsNotTakenForWhatEveryoneHas) {
    EXPECT_NE(name_of(Control::reno), "cubic");
    EXPECT_NE(name_of(Control::cubic), "reno");
}

}  // namespace
}  // namespace sanscope::simulated
