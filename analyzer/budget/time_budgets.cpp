// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/budget/time_budgets.h"

#include <map>
#include <optional>
#include <span>
#include <utility>

#include "analyzer/budget/command_cut.h"

namespace sanscope {
namespace {

using LossesOf = std::map<std::pair<uint32_t, Side>, std::vector<const LossRow*>>;

LossesOf losses_by_sender(const ResultStore& store) {
    LossesOf losses;
    for (const LossRow& row : store.losses()) losses[{row.connection, row.sender}].push_back(&row);
    return losses;
}

uint32_t payload_of(const ConnectionRow& connection) {
    return connection.mss == unknown<uint32_t> ? 0 : connection.mss;
}

}  // namespace

TimeBudgets::TimeBudgets(const ResultStore& store) : store_(&store), senders_(store.connections().size()) {
    const LossesOf losses = losses_by_sender(store);
    for (const SendTrack& track : store.send_tracks()) {
        const ConnectionRow& connection = store.connection(track.connection());
        const auto found = losses.find({track.connection(), track.side()});
        const std::span<const LossRow* const> lost =
            found == losses.end() ? std::span<const LossRow* const>() : found->second;
        const SenderTime& time = times_.emplace_back(track, lost, payload_of(connection));
        Senders& senders = row_of(track.connection(), senders_);
        (connection.is_initiator(track.side()) ? senders.initiator : senders.target) = &time;
    }
}

CommandBudget TimeBudgets::of(CommandNumber command) const {
    const CommandRow& row = store_->command(command);
    CommandBudget budget;
    const int64_t turnaround_ns = row.turnaround_ns();
    if (turnaround_ns == no_time || turnaround_ns <= 0) return budget;
    const CommandMarks* marks = command.index() < store_->command_marks().size()
                                    ? &store_->command_marks()[command.index()]
                                    : nullptr;
    if (marks == nullptr || row.connection == 0 || row.inferred) {
        budget[BudgetPart::unknown] = turnaround_ns;
        return budget;
    }
    const Senders& senders = row_of(row.connection, senders_);
    return cut_turnaround({row, *marks, store_->connection(row.connection), store_->permission_waits(),
                           senders.initiator, senders.target});
}

}  // namespace sanscope
