// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzer/base/log_histogram.h"
#include "analyzer/budget/budget_parts.h"
#include "analyzer/budget/time_budgets.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

enum class Transfer : uint8_t { read, write, none };

std::string_view transfer_name(Transfer transfer);  // "read", "write", "other"
Transfer transfer_of(uint16_t opcode);
// The power of two that is not below its bytes; 0: it transfers none, or nobody knows how many.
uint64_t size_class_of(const CommandRow& row);

// Commands of one session, logical unit, direction and size class, and where their time went.
struct BudgetGroup {
    SessionNumber session;
    uint64_t lun = unknown<uint64_t>;
    Transfer transfer = Transfer::none;
    uint64_t size_class =
        0;  // they transfer at most so many bytes, and more than half of it; 0: none, or unknown
    uint64_t commands = 0;  // that have a turnaround
    std::array<int64_t, budget_parts> sums_ns{};
    std::array<LogHistogram, budget_parts> times;  // of each part, one value a command
    LogHistogram depths;                           // queue depth at each command's request, where it is known

    int64_t turnaround_ns() const;
};

// By session, then logical unit, direction, size. Groups are bounded: what is beyond max_budget_groups is counted to the
// session's last one. One pass over the commands.
constexpr size_t max_budget_groups = 512;
std::vector<BudgetGroup> group_budgets(const ResultStore& store, const TimeBudgets& budgets);

// What a session's commands took in all, part by part.
struct SessionBudget {
    SessionNumber session;
    uint64_t commands = 0;  // whose turnaround is known
    uint64_t untimed = 0;   // that ended, or may have, nobody knows when
    std::array<int64_t, budget_parts> sums_ns{};

    int64_t turnaround_ns() const;
};
// By session; those with commands whose turnaround is known.
std::vector<SessionBudget> session_budgets(const ResultStore& store, const TimeBudgets& budgets);

}  // namespace sanscope
