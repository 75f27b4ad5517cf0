// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/compare/budget_figures.h"

#include <array>
#include <fmt/core.h>
#include <vector>

#include "analyzer/budget/time_budgets.h"

namespace sanscope {
namespace {

using PartSums = std::array<BlockedSums, budget_parts>;

void add_figures(const PartSums& parts, uint64_t commands, std::vector<Figure>& figures) {
    if (commands < CaptureFigures::least_commands) return;
    for (size_t i = 0; i < budget_parts; ++i) {
        const Estimate share = estimate_quotient(parts[i], Scale::difference);
        if (!share.known || share.value <= 0) continue;
        const auto name = fmt::format("budget_{}_share", budget_part_name(static_cast<BudgetPart>(i)));
        figures.push_back({name, Unit::share, Scale::difference, RestsOn::view, {}, share});
    }
}

}  // namespace

void add_budget_figures(const ResultStore& store, SessionGroups& sessions) {
    if (!store.keeps_budgets() || !store.finished()) return;
    const TimeBudgets budgets(store);
    std::vector<PartSums> parts(sessions.groups.size());
    std::vector<uint64_t> commands(sessions.groups.size());
    uint64_t number = 0;
    for (const CommandRow& row : store.commands()) {
        ++number;
        const size_t session = sessions.group_of_session(row.session);
        if (session == SessionGroups::none || row.turnaround_ns() == no_time) continue;
        const TimeBlocks& blocks = sessions.groups[session].blocks;
        if (blocks.empty()) continue;
        ++commands[session];
        const size_t block = blocks.index_of(row.request_ns);
        const CommandBudget budget = budgets.of(number);
        const auto turnaround_ns = static_cast<double>(row.turnaround_ns());
        for (size_t i = 0; i < budget_parts; ++i)
            parts[session][i].add(block, static_cast<double>(budget.parts()[i]), turnaround_ns);
    }
    for (size_t i = 0; i < parts.size(); ++i)
        add_figures(parts[i], commands[i], sessions.groups[i].figures.figures);
}

}  // namespace sanscope
