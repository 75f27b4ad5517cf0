// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/budget/budget_groups.h"

#include <bit>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "analyzer/base/saturated_sum.h"
#include "analyzer/scsi/opcodes.h"

namespace sanscope {
namespace {

using Key = std::tuple<uint32_t, uint64_t, Transfer, uint64_t>;

void add(BudgetGroup& group, const CommandBudget& budget) {
    ++group.commands;
    for (size_t i = 0; i < budget_parts; ++i) {
        group.sums_ns[i] = saturated_sum(group.sums_ns[i], budget.parts()[i]);
        group.times[i].add(budget.parts()[i]);
    }
}

// Commands of sessions that have a turnaround, one connection after another: what is known of one sender stays in the
// processor's cache.
std::vector<uint64_t> completed_by_connection(const ResultStore& store) {
    const auto is_wanted = [](const CommandRow& row) {
        return row.session != 0 && row.turnaround_ns() != no_time;
    };
    const auto place_of = [](const CommandRow& row) { return row.connection.value(); };
    std::vector<size_t> begins(store.connections().size() + 2);
    for (const CommandRow& row : store.commands()) {
        if (is_wanted(row)) ++begins[place_of(row) + 1];
    }
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    std::vector<uint64_t> numbers(begins.back());
    uint64_t number = 0;
    for (const CommandRow& row : store.commands()) {
        ++number;
        if (is_wanted(row)) numbers[begins[place_of(row)]++] = number;
    }
    return numbers;
}

int64_t sum_of(const std::array<int64_t, budget_parts>& parts) {
    return std::accumulate(parts.begin(), parts.end(), int64_t{0}, saturated_sum);
}

}  // namespace

Transfer transfer_of(uint16_t opcode) {
    if (is_read_opcode(opcode)) return Transfer::read;
    return is_write_opcode(opcode) ? Transfer::write : Transfer::none;
}

uint64_t size_class_of(const CommandRow& row) {
    constexpr uint64_t greatest = uint64_t{1} << 63;
    if (row.bytes == unknown<uint64_t> || row.bytes == 0) return 0;
    return row.bytes > greatest ? greatest : std::bit_ceil(row.bytes);
}

std::string_view transfer_name(Transfer transfer) {
    constexpr std::array<std::string_view, 3> names = {"read", "write", "other"};
    return names[static_cast<size_t>(transfer)];
}

int64_t BudgetGroup::turnaround_ns() const {
    return sum_of(sums_ns);
}

int64_t SessionBudget::turnaround_ns() const {
    return sum_of(sums_ns);
}

std::vector<BudgetGroup> group_budgets(const ResultStore& store, const TimeBudgets& budgets) {
    std::map<Key, BudgetGroup> groups;
    uint64_t number = 0;
    for (const CommandRow& row : store.commands()) {
        ++number;
        if (row.turnaround_ns() == no_time) continue;
        Key key{row.session, row.lun, transfer_of(row.opcode), size_class_of(row)};
        auto found = groups.find(key);
        if (found == groups.end() && groups.size() >= max_budget_groups) {
            found = groups.lower_bound({uint32_t{row.session} + 1, 0, Transfer::read, 0});
            if (found != groups.begin()) --found;
        }
        if (found == groups.end()) {
            BudgetGroup group;
            std::tie(std::ignore, group.lun, group.transfer, group.size_class) = key;
            group.session = row.session;
            found = groups.emplace(key, std::move(group)).first;
        }
        add(found->second, budgets.of(number));
        if (row.queue_depth != unknown<uint32_t>) found->second.depths.add(row.queue_depth);
    }
    std::vector<BudgetGroup> ordered;
    ordered.reserve(groups.size());
    for (auto& group : groups) ordered.push_back(std::move(group.second));
    return ordered;
}

std::vector<SessionBudget> session_budgets(const ResultStore& store, const TimeBudgets& budgets) {
    std::vector<SessionBudget> sessions(store.sessions().size());
    for (const CommandNumber number : completed_by_connection(store)) {
        SessionBudget& session = row_of(store.command(number).session, sessions);
        ++session.commands;
        const CommandBudget budget = budgets.of(number);
        for (size_t i = 0; i < budget_parts; ++i)
            session.sums_ns[i] = saturated_sum(session.sums_ns[i], budget.parts()[i]);
    }
    for (const CommandRow& row : store.commands()) {
        if (row.session != 0 && row.ended_nobody_knows_when()) ++row_of(row.session, sessions).untimed;
    }
    for (size_t i = 0; i < sessions.size(); ++i) sessions[i].session = static_cast<uint32_t>(i + 1);
    std::erase_if(sessions, [](const SessionBudget& session) { return session.commands == 0; });
    return sessions;
}

}  // namespace sanscope
