// SPDX-License-Identifier: GPL-3.0-or-later
//
// The parts of commands' turnaround against simulated senders, whose truth is known at each instant: what is found from a capture
// at either end is within 5 % of the turnaround, and what the scenario is about within 5 % of itself. docs/where-the-time-goes.md
// has the figures; --gtest_output=json:FILE writes them anew.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <vector>

#include "analyzer/budget/scenarios/simulated_capture.h"
#include "analyzer/budget/scenarios/simulated_session.h"
#include "analyzer/budget/scenarios/true_budget.h"
#include "analyzer/budget/time_budgets.h"

namespace sanscope {
namespace {

using simulated::microsecond;
using simulated::millisecond;
using simulated::second;
using simulated::SimulatedCapture;
using simulated::SimulatedSession;
using simulated::TrueBudget;
using Part = BudgetPart;

constexpr double tolerance = 0.05;

struct Scenario {
    const char* name;
    // What the scenario is about: their sum.
    std::vector<Part> parts;
    // Of them, a command, by construction: at the initiator, at the target; -1: only the simulation knows.
    double initiator_ms = -1;
    double target_ms = -1;
    std::function<void(SimulatedSession::Options&)> set = [](SimulatedSession::Options&) {};
    // At the target, where that is more; see the scenario.
    std::vector<Part> target_parts = {};

    const std::vector<Part>& parts_at(bool initiator) const {
        return initiator || target_parts.empty() ? parts : target_parts;
    }
};

void PrintTo(const Scenario& scenario, std::ostream* out) {
    *out << scenario.name;
}

// Of the answer of each command that is so-manyth of `every`, `length` segments behind so many.
auto losing(size_t every, uint32_t behind, uint32_t length, uint32_t transmissions = 1) {
    return [=](SimulatedSession& session, size_t command) {
        if (command % every != every - 1) return;
        for (uint32_t i = 0; i < length; ++i)
            for (uint32_t time = 1; time <= transmissions; ++time)
                session.to_initiator().drop(session.answer_segment(behind + i), time);
    };
}

const Scenario scenarios[] = {
    {"TargetTakes5ms", {Part::target}, 5, 5, [](auto& o) { o.latency_ns = 5 * millisecond; }},
    {"TargetTakes5msOf16AtATime",
     {Part::target},
     5,
     5,
     [](auto& o) {
         o.latency_ns = 5 * millisecond;
         o.depth = 16;
         o.commands = 320;
     }},
    {"TargetTakes5msForWrites",
     {Part::target},
     5,
     5,
     [](auto& o) {
         o.latency_ns = 5 * millisecond;
         o.writes = true;
     }},
    {"BurstsAreLostInTheMidst",
     {Part::recovery, Part::timeout, Part::unknown},
     -1,
     -1,
     [](auto& o) {
         o.rtt_ns = 4 * millisecond;
         o.bytes = 65536;
         o.on_answer = losing(4, 10, 4);
     }},
    {"BurstsAreLostAtTheEnd",
     {Part::recovery, Part::timeout, Part::unknown},
     -1,
     -1,
     [](auto& o) {
         o.rtt_ns = 4 * millisecond;
         o.bytes = 65536;
         o.on_answer = losing(4, 42, 4);
     }},
    {"ARetransmissionIsLostAgain",
     {Part::recovery, Part::timeout, Part::unknown},
     -1,
     -1,
     [](auto& o) {
         o.rtt_ns = 4 * millisecond;
         o.bytes = 65536;
         o.on_answer = losing(4, 10, 1, 2);
     }},
    {"AllOfAFlightIsLost",
     {Part::recovery, Part::timeout, Part::unknown},
     -1,
     -1,
     [](auto& o) {
         o.rtt_ns = 4 * millisecond;
         o.sender.tail_loss_probes = false;
         o.on_answer = losing(4, 0, 6);
     }},
    {"RequestsAreLost",
     {Part::recovery, Part::timeout, Part::unknown},
     -1,
     -1,
     [](auto& o) {
         o.rtt_ns = 4 * millisecond;
         o.on_request = [](SimulatedSession& session, size_t command) {
             if (command % 4 != 3) return;
             const int64_t now_ns = session.time().now();
             session.to_target().drop_between(now_ns, now_ns + 1);
         };
     }},
    {"TheReceiveWindowIsShutFor300ms",
     {Part::receiver_window},
     -1,
     -1,
     [](auto& o) {
         o.bytes = 1 << 20;
         o.commands = 12;
         o.initiator_buffer = 65536;
         o.on_answer = [](SimulatedSession& session, size_t command) {
             if (command % 4 != 3) return;
             const int64_t now_ns = session.time().now();
             session.time().at(now_ns + 2 * millisecond, [&session] { session.initiator().pause_reading(); });
             session.time().at(now_ns + 302 * millisecond,
                               [&session] { session.initiator().resume_reading(session.target()); });
         };
     }},
    {"AReceiveWindowOf32KiBOver10ms",
     {Part::receiver_window},
     -1,
     -1,
     [](auto& o) {
         o.rtt_ns = 10 * millisecond;
         o.bytes = 262144;
         o.initiator_buffer = 32768;
     }},
    {"ACommandWindowOf4",
     {Part::target},
     5,
     5,
     [](auto& o) {
         o.rtt_ns = 4 * millisecond;
         o.latency_ns = 5 * millisecond;
         o.depth = 16;
         o.command_window = 4;
         o.commands = 200;
     }},
    {"R2TsOver10ms",
     {Part::r2t_wait},
     10,
     5,
     [](auto& o) {
         o.rtt_ns = 10 * millisecond;
         o.writes = o.initial_r2t = true;
     }},
    {"FourR2TsOver10ms",
     {Part::r2t_wait},
     40,
     35,
     [](auto& o) {
         o.rtt_ns = 10 * millisecond;
         o.writes = o.initial_r2t = true;
         o.bytes = 32768;
         o.max_burst = 8192;
     }},
    {"AnInitiatorSlowToSendWhatR2TsAskFor",
     {Part::application},
     8,
     8,
     [](auto& o) {
         o.rtt_ns = 2 * millisecond;
         o.writes = o.initial_r2t = true;
         o.data_out_lag_ns = 8 * millisecond;
     }},
    {"ReadsThrough50Mbit",
     {Part::wire},
     (262144 + 4 * 48) * (1514.0 / 1448) * 8 / 50e3,
     -1,
     [](auto& o) {
         o.bytes = 262144;
         o.megabits_to_initiator = 50;
     }},
    {"WritesThrough50Mbit",
     {Part::wire},
     (65536 + 48) * (1514.0 / 1448) * 8 / 50e3,
     -1,
     [](auto& o) {
         o.bytes = 65536;
         o.writes = true;
         o.megabits_to_target = 50;
     }},
    {"TwoReadsAtATimeThrough50Mbit",
     {Part::wire},
     (262144 + 4 * 48) * (1514.0 / 1448) * 8 / 50e3,
     -1,
     [](auto& o) {
         o.bytes = 262144;
         o.depth = 2;
         o.megabits_to_initiator = 50;
     },
     // Which bytes stand in a queue beyond the target's tap is not followed: while the window is full there, those of the one are
     // acknowledged as those of the other leave.
     {Part::wire, Part::behind_others}},
    {"TargetTakes5msForReadsBehindWritesThrough50Mbit",
     {Part::target},
     5,
     5,
     [](auto& o) {
         o.latency_ns = 5 * millisecond;
         o.write_bytes_between = 65536;
         o.depth = 8;
         o.commands = 320;
         o.megabits_to_target = 50;
     }},
    // The time of a segment on the link is not known apart from that of the path.
    {"TargetTakes2msForReadsBehindWritesThrough50Mbit",
     {Part::target, Part::request_path},
     -1,
     2,
     [](auto& o) {
         o.latency_ns = 2 * millisecond;
         o.write_bytes_between = 65536;
         o.depth = 8;
         o.commands = 320;
         o.megabits_to_target = 50;
     },
     // There the acknowledgements of its data come late, behind the initiator's data.
     {Part::target, Part::unknown}},
    {"ThinkTimeOf20ms",
     {Part::request_path, Part::return_path},
     1,
     0,
     [](auto& o) { o.think_ns = 20 * millisecond; }},
    {"SlowStartOver20msAfterEachSilence",
     {Part::cwnd},
     -1,
     -1,
     [](auto& o) {
         o.rtt_ns = 20 * millisecond;
         o.bytes = 262144;
         o.think_ns = 2 * second;
     }},
};

class SimulatedCommands : public testing::TestWithParam<Scenario> {
  protected:
    static std::string told(const CommandBudget& found, const CommandBudget& truth) {
        std::string text;
        for (size_t i = 0; i < budget_parts; ++i) {
            if (found.parts()[i] == 0 && truth.parts()[i] == 0) continue;
            text += std::string(budget_part_name(static_cast<Part>(i))) + " " + in_ms(found.parts()[i]) +
                    " (true " + in_ms(truth.parts()[i]) + ") ";
        }
        return text;
    }
    static std::string in_ms(int64_t time_ns) {
        char text[32];
        snprintf(text, sizeof text, "%.3f", static_cast<double>(time_ns) / millisecond);
        return text;
    }
};

TEST_P(SimulatedCommands, PartsAreWithin5Percent) {
    SimulatedSession::Options options;
    GetParam().set(options);
    SimulatedSession session(options);
    session.run(600 * second);
    for (const bool initiator : {true, false}) {
        const std::string where = initiator ? "initiator" : "target";
        SCOPED_TRACE("captured at the " + where);
        const SimulatedCapture capture((initiator ? session.initiator() : session.target()).seen(),
                                       options.sender);
        ASSERT_EQ(capture.commands().size(), options.commands);
        const TimeBudgets budgets(capture.store());
        CommandBudget found_sum;
        CommandBudget true_sum;
        int64_t turnaround_ns = 0;
        for (size_t i = 0; i < options.commands; ++i) {
            const TrueBudget truth(session, session.commands()[i]);
            const CommandBudget found = budgets.of(capture.commands()[i]);
            const CommandBudget known = truth.at(initiator);
            ASSERT_EQ(capture.store().command(capture.commands()[i]).turnaround_ns(),
                      truth.turnaround_ns(initiator))
                << i;
            for (size_t part = 0; part < budget_parts; ++part) {
                found_sum[static_cast<Part>(part)] += found.parts()[part];
                true_sum[static_cast<Part>(part)] += known.parts()[part];
            }
            turnaround_ns += truth.turnaround_ns(initiator);
        }
        const std::vector<Part>& parts = GetParam().parts_at(initiator);
        int64_t named_ns = 0;
        int64_t true_ns = 0;
        for (const Part part : parts) {
            named_ns += found_sum[part];
            true_ns += true_sum[part];
        }
        for (size_t i = 0; i < budget_parts; ++i) {
            if (std::ranges::find(parts, static_cast<Part>(i)) != parts.end()) continue;
            EXPECT_NEAR(static_cast<double>(found_sum.parts()[i]), static_cast<double>(true_sum.parts()[i]),
                        tolerance * static_cast<double>(turnaround_ns))
                << budget_part_name(static_cast<Part>(i)) << ": " << told(found_sum, true_sum);
        }
        const auto commands = static_cast<int64_t>(options.commands);
        RecordProperty(where + "_found_ms", in_ms(named_ns / commands));
        RecordProperty(where + "_true_ms", in_ms(true_ns / commands));
        RecordProperty(where + "_turnaround_ms", in_ms(turnaround_ns / commands));
        RecordProperty(where + "_all_ms", told(found_sum, true_sum));
        EXPECT_NEAR(static_cast<double>(named_ns), static_cast<double>(true_ns),
                    tolerance * static_cast<double>(true_ns))
            << told(found_sum, true_sum);
        if (initiator) {
            const auto shut_ns = static_cast<double>(session.command_window_shut_ns());
            const int64_t found_ns = capture.store().session(1).command_window_shut_ns;
            EXPECT_NEAR(static_cast<double>(found_ns), shut_ns, tolerance * shut_ns);
            RecordProperty("command_window_shut_ms",
                           in_ms(found_ns) + " (true " + in_ms(session.command_window_shut_ns()) + ")");
        }
        // And it is what the scenario says.
        const double wanted_ms = initiator ? GetParam().initiator_ms : GetParam().target_ms;
        if (wanted_ms < 0) continue;
        const double known_ms = static_cast<double>(true_ns) / static_cast<double>(commands) / millisecond;
        EXPECT_NEAR(known_ms, wanted_ms, tolerance * wanted_ms + 0.01);
    }
}

INSTANTIATE_TEST_SUITE_P(Scenarios, SimulatedCommands, testing::ValuesIn(scenarios),
                         [](const testing::TestParamInfo<Scenario>& scenario) {
                             return std::string(scenario.param.name);
                         });

}  // namespace
}  // namespace sanscope
