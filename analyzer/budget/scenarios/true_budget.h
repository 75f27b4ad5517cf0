// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/budget/budget_parts.h"
#include "analyzer/budget/scenarios/simulated_session.h"

namespace sanscope::simulated {

// Whose time a simulated command's was, from when its request was sent to the last one of its answer, as docs/where-the-time-goes.md
// defines the parts: by what the hosts and links held at each instant, not by what a capture shows of it.
class TrueBudget {
  public:
    TrueBudget(const SimulatedSession& session, const SimulatedCommand& command);

    // As captured at one of the two ends.
    CommandBudget at(bool initiator) const;
    int64_t turnaround_ns(bool initiator) const;

  private:
    struct Stretch {
        BudgetPart part;
        int64_t end_ns;
    };
    // The bytes of the command itself, in one host's stream.
    struct Own {
        uint64_t begin = 0;
        uint64_t end = 0;
    };

    void pass(BudgetPart part, int64_t to_ns);
    void pass_held(const SimulatedHost& sender, int64_t to_ns, Own own, BudgetPart idle);
    void pass_link(const SimulatedHost& sender, int64_t to_ns, Own own, BudgetPart otherwise);
    void pass_stream(const SimulatedHost& sender, Own own, BudgetPart idle, BudgetPart path);

    int64_t begin_ns_;
    int64_t at_ns_;
    int64_t reached_target_ns_ = 0;
    int64_t left_target_ns_ = 0;
    std::vector<Stretch> stretches_;
};

}  // namespace sanscope::simulated
