// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/inferred/ordered_answers.h"

#include <limits>

#include "analyzer/session/inferred/status_count.h"

namespace sanscope {

void OrderedAnswers::before_seen(const Pdu& pdu, const CommandTracker& tracker) {
    answering_.reset();
    if (!strict_.broken() && takes_stat_sn(pdu.bhs())) answering_ = tracker.answer_so_far(pdu).cmd_sn;
}

bool OrderedAnswers::after_status(uint64_t statuses, InferredCommands& commands) {
    if (!answering_) return true;
    strict_.on_status(*answering_, statuses - awaited_->immediate_answered());
    answering_.reset();
    if (strict_.broken()) return !order_broke(commands);
    if (strict_.believed()) settle_held(commands);
    return true;
}

bool OrderedAnswers::lay_out(const UnseenRuns& runs, size_t counting, const AnswerShape& shape,
                             InferredCommands& commands) {
    laid_out_.clear();
    if (strict_.broken() || !strict_.anchored() || fill(runs, counting, shape, commands)) return true;
    strict_.on_contradiction();
    return !order_broke(commands);
}

// The next command's answer at the place that its CmdSN gives, and so long that all of them fill the bytes. False where
// that cannot be.
bool OrderedAnswers::fill(const UnseenRuns& runs, size_t counting, const AnswerShape& shape,
                          InferredCommands& commands) {
    const ResponseProfile& profile = commands.tracker().profile();
    const bool usually_with_data = profile.statuses_with_data >= profile.statuses_apart;
    for (const bool with_data : {usually_with_data, !usually_with_data}) {
        awaited_->list(runs.back().last_packet, with_data, shape, commands);
        const std::vector<OpenCommand>& open = awaited_->open();
        laid_out_ = pending_;
        size_t next = 0;
        for (; next < pending_.size(); ++next) {
            if (next == open.size() || open[next].number != pending_[next].command) break;
        }
        if (next < pending_.size()) continue;
        bool fills = true;
        for (size_t first = 0; fills && first < counting;) {
            const size_t end = runs.group_end(first);
            if (end >= counting || !runs[end].count_known) break;
            fills = fill_group(runs, first, end, next);
            first = end + 1;
        }
        if (fills) return true;
    }
    laid_out_.clear();
    return false;
}

bool OrderedAnswers::fill_group(const UnseenRuns& runs, size_t first, size_t end, size_t& next) {
    const std::vector<OpenCommand>& open = awaited_->open();
    uint32_t statuses = 0;
    const uint64_t before = runs[end].closed_at - runs[end].unseen - awaited_->immediate_answered();
    for (size_t i = first; i <= end; ++i) {
        const UnseenRun& run = runs[i].run;
        if (!run.explicable) return false;
        for (uint32_t at = 0; at < run.length; ++next, ++statuses) {
            if (next == open.size()) return false;
            const OpenCommand& command = open[next];
            if (command.answer_bytes == 0 || command.answer_bytes > run.length - at) return false;
            const uint32_t behind = at + command.answer_bytes;
            const UnseenRun::Moment* const done = AnswerPairings::moment(run, behind);
            const bool requested = done != nullptr && command.request_packet < done->delivered.packet;
            const bool its_turn = command.cmd_sn && *command.cmd_sn == strict_.turn_of(before + statuses);
            if (!requested || !its_turn || !AnswerPairings::fits(command, at, run)) return false;
            laid_out_.push_back({command.number, done->captured ? done->delivered : Arrival{},
                                 runs[first].first_packet, runs[end].last_packet});
            at = behind;
        }
    }
    return statuses == runs[end].unseen;
}

bool OrderedAnswers::hold(uint64_t command, InferredCommands& commands) {
    const auto found = std::ranges::find(laid_out_, command, &Held::command);
    return found != laid_out_.end() && found->arrival.packet != 0 && hold(*found, commands);
}

bool OrderedAnswers::hold(const Held& held, InferredCommands& commands) {
    if (!commands.hold_answered(held.command)) return false;
    if (held_.empty()) commands.in_flight().begin_waiting();
    held_.push_back(held);
    return true;
}

void OrderedAnswers::hold_all(const UnseenRuns& runs, size_t counting, InferredCommands& commands) {
    constexpr PacketNumber never = std::numeric_limits<PacketNumber>::max();
    trusting_ = true;
    for (const Held& held : laid_out_) {
        if (held.arrival.packet != 0 && hold(held, commands)) continue;
        commands.end_unseen(held.command);
        of_->add_unpaired(1, held.first_packet, held.last_packet);
    }
    for (size_t i = 0; i < counting; ++i) {
        const bool counted = runs[i].count_known || (!runs[i].ends_group && i + 1 < runs.size());
        if (counted || awaited_->open().empty()) continue;
        of_->add_unpaired(1, runs[i].first_packet, never);
        commands.in_flight().note_unpaired(runs[i].last_packet);
    }
    pending_.clear();
}

bool OrderedAnswers::settle(InferredCommands& commands) {
    if (strict_.believed()) {
        settle_held(commands);
        return true;
    }
    if (held_.size() <= max_held) return true;
    strict_.on_contradiction();
    return !order_broke(commands);
}

void OrderedAnswers::settle_held(InferredCommands& commands) {
    if (held_.empty()) return;
    for (const Held& held : held_) {
        if (!commands.settle_held(held.command, held.arrival))
            of_->add_unpaired(1, held.first_packet, held.last_packet);
    }
    held_.clear();
    commands.in_flight().end_waiting();
}

void OrderedAnswers::drop_held(InferredCommands& commands) {
    pending_.clear();
    laid_out_.clear();
    if (held_.empty()) return;
    for (const Held& held : held_) {
        commands.end_held(held.command);
        of_->add_unpaired(1, held.first_packet, held.last_packet);
        of_->issues->add(Issue::answers_not_paired, held.first_packet);
    }
    commands.in_flight().note_unpaired(held_.back().last_packet);
    held_.clear();
    commands.in_flight().end_waiting();
}

// What was held for the order's sake is not settled. True if the order had been trusted in who is left.
bool OrderedAnswers::order_broke(InferredCommands& commands) {
    drop_held(commands);
    if (!trusting_) return false;
    trusting_ = false;
    return true;
}

}  // namespace sanscope
