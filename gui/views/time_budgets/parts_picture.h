// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <vector>

#include "gui/document/filter_result.h"
#include "gui/plot/time_viewport.h"
#include "gui/views/time_budgets/command_parts.h"

namespace sanscope {

// The commands that completed in a stretch of time.
struct PartsColumn {
    uint64_t commands = 0;
    BudgetSums sums{};
    BudgetSums most_ns{};                        // of one command
    std::array<uint32_t, budget_parts> worst{};  // whose: its row

    void add(const PartsColumn& other);
};

// What the view draws: columns of some pixels each over a prepared range.
struct PartsPicture {
    PreparedRange prepared;
    int64_t column_ns = 1;
    std::vector<PartsColumn> columns;
    bool known = false;              // else the capture is not whole, or the search was stopped
    BudgetSums sums{};               // of the whole capture, whatever scope and filter
    uint64_t commands_anywhere = 0;  // of the whole capture that have parts

    int64_t begin_of(size_t column) const {
        return prepared.range.begin_ns + static_cast<int64_t>(column) * column_ns;
    }
    // columns.size() where there is none.
    size_t column_at(int64_t time_ns) const;
};

// Prepared columns in one that is drawn, a power of two: so many that it is some pixels wide, and more where commands are few, so
// that at least every other one between the first command and the last holds some.
constexpr int64_t fewest_in_one = 8;
constexpr int64_t most_in_one = 64;  // prepared ranges are multiples of that

// Of the commands of a scope that pass the filter (nullptr: of all). Any thread.
PartsPicture prepare_parts(const CaptureData::Reading& reading, const CommandParts& parts,
                           const ConnectionChooser::Scope& scope, const PreparedRange& prepared,
                           const FilterResult* filter);

}  // namespace sanscope
