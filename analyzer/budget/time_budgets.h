// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "analyzer/budget/budget_parts.h"
#include "analyzer/budget/sender_time.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// Where the time of a capture's commands went. Of a store to which nothing is added any more and which keeps budgets, commands
// and losses; it outlives this. Made in one pass over the senders' steps. One thread at a
// time; commands are best asked for in order.
class TimeBudgets {
  public:
    explicit TimeBudgets(const ResultStore& store);

    // The parts of a command that has a turnaround, all zero of one that has none. Constant time but for searches.
    CommandBudget of(CommandNumber command) const;

  private:
    // The two senders of a connection; nullptr for one that sent nothing.
    struct Senders {
        const SenderTime* initiator = nullptr;
        const SenderTime* target = nullptr;
    };

    const ResultStore* store_;
    std::deque<SenderTime> times_;
    std::vector<Senders> senders_;  // by connection number - 1
};

}  // namespace sanscope
