// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/budget/time_budgets.h"

#include <algorithm>
#include <span>

#include "analyzer/budget/command_cut.h"
#include "analyzer/vocabulary/slow_commands.h"

namespace sanscope {

TimeBudgets::TimeBudgets(const ResultStore& store) : store_(&store), senders_(store.connections().size()) {
    for (const LossRow& row : store.losses()) losses_[{row.connection, row.sender}].push_back(&row);
    for (const SendTrack& track : store.send_tracks()) {
        Senders& senders = row_of(track.connection(), senders_);
        const bool is_initiator = store.connection(track.connection()).is_initiator(track.side());
        (is_initiator ? senders.initiator_track : senders.target_track) = &track;
    }
}

std::unique_ptr<SenderTime> TimeBudgets::pass_over(const SendTrack* track) const {
    if (track == nullptr) return nullptr;
    const ConnectionRow& connection = store_->connection(track->connection());
    const auto found = losses_.find({track->connection(), track->side()});
    const std::span<const LossRow* const> lost =
        found == losses_.end() ? std::span<const LossRow* const>() : found->second;
    return std::make_unique<SenderTime>(*track, lost, sender_path(connection));
}

const TimeBudgets::Senders& TimeBudgets::senders_of(ConnectionNumber connection) const {
    Senders& senders = row_of(connection, senders_);
    if (senders.passed_over) return senders;
    senders.passed_over = true;
    senders.initiator = pass_over(senders.initiator_track);
    senders.target = pass_over(senders.target_track);
    senders.jumps = jumps_of(connection);
    return senders;
}

TimeSpans TimeBudgets::jumps_of(ConnectionNumber connection) const {
    TimeSpans jumps;
    const ConnectionRow& own = store_->connection(connection);
    for (const ClockJump& jump : store_->clock_jumps()) {
        const ConnectionRow& other = store_->connection(ConnectionNumber(jump.connection));
        const bool between_same =
            own.initiator.address == other.initiator.address && own.target.address == other.target.address;
        if (between_same) jumps.add(jump.begin_ns, jump.end_ns);
    }
    jumps.finish();
    return jumps;
}

bool TimeBudgets::is_slow(const CommandRow& row) const {
    if (row.turnaround_ns() < slow_by_ns) return false;
    if (!kind_medians_) {
        kind_medians_.emplace();
        for (const CommandRow& one : store_->commands()) kind_medians_->add(one);
    }
    return kind_medians_->is_slow(row, behind_tap_ns(store_->connection(row.connection)));
}

int64_t TimeBudgets::others_queued_ns(const CommandRow& row) const {
    const ConnectionRow& connection = store_->connection(row.connection);
    if (!PathQueues::may_hold_up(row, connection) || store_->connections().size() == 1) return 0;
    if (!path_queues_) {
        path_queues_.emplace();
        for (uint32_t number = 1; number <= store_->connections().size(); ++number) {
            const ConnectionNumber connection_number(number);
            const Senders& senders = senders_of(connection_number);
            for (const auto* sender : {senders.initiator.get(), senders.target.get()})
                path_queues_->add(store_->connection(connection_number), connection_number, sender);
        }
        path_queues_->finish();
    }
    return path_queues_->longest_of_others_ns(row, connection);
}

int64_t TimeBudgets::jitter_ns(const CommandRow& row) const {
    if (!PathQueues::may_hold_up(row, store_->connection(row.connection))) return 0;
    if (!jitter_) {
        jitter_.emplace();
        const size_t commands = std::min(store_->commands().size(), store_->command_marks().size());
        for (size_t index = 0; index < commands; ++index) {
            const CommandRow& one = store_->commands()[index];
            if (one.connection == 0 || one.inferred || one.turnaround_ns() <= 0) continue;
            const Senders& senders = senders_of(one.connection);
            jitter_->add(
                one.connection,
                answer_delay_ns({one, store_->command_marks()[index], store_->connection(one.connection),
                                 store_->permission_waits(), senders.initiator.get(), senders.target.get()}));
        }
        jitter_->finish();
    }
    return jitter_->of(row.connection);
}

bool TimeBudgets::may_come_over_several(const CommandRow& row) const {
    if (row.session == 0 || row.connection == 0) return false;
    const SessionRow& session = store_->session(row.session);
    // The others may not be in the capture; without the leading login nothing says that there are none.
    static_assert(unknown<uint32_t> > 1);
    return session.connections > 1 || session.max_connections > 1;
}

const CommandOrder& TimeBudgets::order() const {
    if (order_) return *order_;
    order_.emplace();
    const size_t commands = std::min(store_->commands().size(), store_->command_marks().size());
    for (size_t index = 0; index < commands; ++index) {
        const CommandRow& one = store_->commands()[index];
        const CommandMarks& marks = store_->command_marks()[index];
        if (one.inferred || marks.immediate || !may_come_over_several(one)) continue;
        const Senders& senders = senders_of(one.connection);
        order_->add(
            index + 1, one,
            request_arrival({one, marks, store_->connection(one.connection), store_->permission_waits(),
                             senders.initiator.get(), senders.target.get()}));
    }
    order_->finish();
    return *order_;
}

const CommandOrder::Wait* TimeBudgets::order_of(CommandNumber command) const {
    return may_come_over_several(store_->command(command)) ? order().of(command.value()) : nullptr;
}

bool TimeBudgets::order_in_doubt(CommandNumber command) const {
    const CommandRow& row = store_->command(command);
    return may_come_over_several(row) && order().is_in_doubt(row.session.value());
}

CommandBudget TimeBudgets::of(CommandNumber command) const {
    const CommandRow& row = store_->command(command);
    CommandBudget budget;
    const int64_t turnaround_ns = row.turnaround_ns();
    static_assert(no_time < 0);
    if (turnaround_ns <= 0) return budget;
    const CommandMarks* marks = command.index() < store_->command_marks().size()
                                    ? &store_->command_marks()[command.index()]
                                    : nullptr;
    if (marks == nullptr || row.connection == 0 || row.inferred) {
        budget[BudgetPart::unknown] = turnaround_ns;
        return budget;
    }
    const Senders& senders = senders_of(row.connection);
    if (senders.jumps.overlap_ns(row.request_ns, row.response_ns) > 0) {
        budget[BudgetPart::unknown] = turnaround_ns;
        return budget;
    }
    return cut_turnaround({row, *marks, store_->connection(row.connection), store_->permission_waits(),
                           senders.initiator.get(), senders.target.get(), is_slow(row), others_queued_ns(row),
                           jitter_ns(row), order_of(command), order_in_doubt(command)});
}

}  // namespace sanscope
