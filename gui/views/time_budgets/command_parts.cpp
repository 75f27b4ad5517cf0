// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/time_budgets/command_parts.h"

#include <algorithm>

namespace sanscope {

std::shared_ptr<const CommandParts> CommandParts::of(const CaptureData::Reading& reading,
                                                     const StopFlag& stop) {
    const auto& commands = reading.store().commands();
    auto found = std::make_shared<CommandParts>();
    for (size_t row = 0; row < commands.size(); ++row) {
        if (row % 4096 == 0 && stop) return nullptr;
        const CommandRow& command = commands[row];
        if (command.turnaround_ns() == no_time) continue;
        CommandBudget budget;
        if (!reading.budgets()->find(row + 1, budget)) return nullptr;
        Item item{command.response_ns, static_cast<uint32_t>(row), static_cast<uint32_t>(found->ns_.size()),
                  0};
        for (size_t part = 0; part < budget_parts; ++part) {
            const int64_t ns = budget.parts()[part];
            if (ns <= 0) continue;
            item.which = static_cast<uint16_t>(item.which | 1u << part);
            found->add(ns);
            found->sums_[part] = saturated_sum(found->sums_[part], ns);
        }
        found->items_.push_back(item);
    }
    // So that the parts of the last one that has none have an address.
    found->ns_.push_back(0);
    std::ranges::stable_sort(found->items_, {}, &Item::end_ns);
    return found;
}

void CommandParts::add(int64_t ns) {
    const bool is_long = ns >= apart;
    ns_.push_back(is_long ? apart | static_cast<uint32_t>(long_ns_.size()) : static_cast<uint32_t>(ns));
    if (is_long) long_ns_.push_back(ns);
}

size_t CommandParts::first_at(int64_t time_ns) const {
    return static_cast<size_t>(std::ranges::lower_bound(items_, time_ns, {}, &Item::end_ns) - items_.begin());
}

bool holds(const ConnectionChooser::Scope& scope, const CommandRow& row) {
    using Kind = ConnectionChooser::Scope::Kind;
    switch (scope.kind) {
        case Kind::session:
            return row.session.value() == scope.number;
        case Kind::connection:
            return row.connection.value() == scope.number;
        default:
            return true;
    }
}

}  // namespace sanscope
