// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "gui/document/filter_result.h"
#include "gui/document/time_range.h"
#include "gui/views/time_budgets/command_parts.h"

#include "analyzer/budget/budget_groups.h"

namespace sanscope {

enum class BreakdownBy : uint8_t { session, lun, transfer, size, all_of_these };

// Of which commands: those of a scope that completed in the range and pass the filter.
struct BreakdownQuestion {
    ConnectionChooser::Scope scope;
    std::optional<TimeRange> range;  // nothing: the whole capture
    BreakdownBy by = BreakdownBy::session;
    std::shared_ptr<const FilterResult> filter;  // nullptr: all pass
};

// Where the time of groups of commands went. Of a group, what the question does not part commands by is nothing.
struct Breakdown {
    struct Group {
        std::optional<uint32_t> session;  // 0: of none
        std::optional<uint64_t> lun;
        std::optional<Transfer> transfer;
        std::optional<uint64_t> size_class;  // as BudgetGroup has it
        uint64_t commands = 0;
        BudgetSums sums{};

        int64_t turnaround_ns() const { return sum_of(sums); }
    };

    BreakdownQuestion question;
    std::vector<Group> groups;  // those that took most time first
    Group all;
    uint64_t ungrouped = 0;  // commands of groups beyond the first most_groups: in `all` alone
    BudgetSums anywhere{};   // of the whole capture, whatever the question
    bool complete = false;   // else stopped, or the capture is not whole
    static constexpr size_t most_groups = 512;
};

// Any thread; looks at the row of each command in the range.
Breakdown break_down(const CaptureData::Reading& reading, const CommandParts& parts,
                     const BreakdownQuestion& question, const StopFlag& stop);

// "session 1, LUN 3, read, ≤ 4 KiB"; "all" of a group that nothing parts.
QString group_text(const Breakdown::Group& group);

// A filter over the columns of commands (docs/filter-language.md) that just the commands of a group pass that have some of a
// part: `session == 1 && budget_recovery_ns > 0`. Without a part, all commands of the group. The question's own filter is
// among its conditions where it is over columns of commands, too; others cannot be said there.
QString filter_text(const BreakdownQuestion& question, const Breakdown::Group& group,
                    std::optional<BudgetPart> part);

}  // namespace sanscope
