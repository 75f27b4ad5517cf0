// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/session/inferred/unseen_answers.h"

#include <algorithm>
#include <optional>

namespace sanscope {

void UnseenAnswers::before_seen(const Pdu& pdu, const AnswerShape& shape, InferredCommands& commands,
                                uint32_t session) {
    shape_ = shape;
    of_.session = session;
    if (runs_.is_open()) close_run(&pdu, commands);
    // Where all is seen, nobody asks in which order.
    if (any_unseen_) ordered_.before_seen(pdu, commands.tracker());
}

void UnseenAnswers::after_seen(const Pdu& pdu, uint64_t command, InferredCommands& commands) {
    const Bhs bhs = pdu.bhs();
    awaited_.on_answer(bhs.itt());
    read_.on_answer(bhs, command, [&](uint64_t number) { return commands.tracker().data_in_of(number); });
    if (!takes_stat_sn(bhs)) return;
    count(pdu);
    if (!ordered_.after_status(count_.statuses(), commands)) lose_all(commands);
    if (lost_ && count_.statuses() >= lost_until_) {
        commands.end_given_up(of_.connection);
        lost_ = false;
    }
    if (!runs_.empty()) settle_if_ready(commands);
}

void UnseenAnswers::finish(const AnswerShape& shape, InferredCommands& commands, uint32_t session) {
    shape_ = shape;
    of_.session = session;
    if (runs_.is_open()) close_run(nullptr, commands);
    if (runs_.empty() || runs_.back().ends_group) of_.store->counted(session, 0, no_time, no_time);
    if (runs_.empty()) return ordered_.drop_held(commands);
    if (count_.statuses() < lost_until_) {
        ordered_.drop_held(commands);
        return lose(commands);
    }
    settle(runs_.size(), commands);
    ordered_.drop_held(commands);
    if (!ordered_.trusted()) pairings_.give_up_doubtful(commands);
}

// The header behind it is known, or there is none to come.
void UnseenAnswers::close_run(const Pdu* next, InferredCommands& commands) {
    if (!waiting_) commands.in_flight().begin_waiting();
    waiting_ = any_unseen_ = true;
    if (!runs_.close(next)) return lose(commands);
    const ResponseProfile& profile = commands.tracker().profile();
    if (const auto end = runs_.cut_head(read_, next, shape_, profile)) end_read(*end, commands);
    read_.end();
    if (next != nullptr)
        runs_.cut_tail(*next, commands.tracker().answer_so_far(*next), read_.interleaves(), shape_, profile);
    runs_.place(count_.statuses());
    if (runs_.drop_if_empty()) wait_no_longer_if_none(commands);
}

// The read that was under way was answered in the run.
void UnseenAnswers::end_read(const UnseenRuns::ReadEnd& end, InferredCommands& commands) {
    if (end.captured && commands.answer_unseen(read_.command(), end.arrival)) return;
    commands.end_unseen(read_.command());
    of_.add_unpaired(1, runs_.back().first_packet, runs_.back().last_packet);
}

// How many statuses there were since the one before, by their numbers.
void UnseenAnswers::count(const Pdu& pdu) {
    const StatusCount::Group group = count_.on_status(pdu);
    switch (group.kind) {
        case StatusCount::Group::Kind::unnumbered:
            return;
        case StatusCount::Group::Kind::out_of_number:
            of_.issues->add(Issue::statuses_out_of_number, pdu.last.packet);
            ordered_.on_out_of_number();
            return runs_.end_uncounted_group();
        case StatusCount::Group::Kind::first:
            return runs_.end_uncounted_group();
        case StatusCount::Group::Kind::counted:
            break;
    }
    of_.store->counted(of_.session, group.unseen, group.from.time_ns, pdu.last.time_ns);
    const uint32_t in_no_run = runs_.end_group(group.unseen, count_.stat_sn(), count_.statuses());
    if (in_no_run > 0) of_.add_unpaired(in_no_run, group.from.packet, pdu.last.packet);
}

void UnseenAnswers::settle_if_ready(InferredCommands& commands) {
    const uint64_t statuses = count_.statuses();
    if (runs_.is_open() || !runs_.back().ends_group || statuses < look_again_at_) return;
    if (statuses < lost_until_) return lose(commands);
    const uint64_t age = statuses - runs_.back().closed_at;
    if (age >= long_enough) return settle(runs_.size(), commands);
    if (runs_.many()) return settle_some(commands);
    look_again_at_ = statuses + std::max<uint64_t>(age, 1);
    awaited_.list(runs_.back().last_packet, true, shape_, commands);
    if (awaited_.open().size() == runs_.unseen() + pairings_.doubtful()) settle(runs_.size(), commands);
}

// More than should wait: those behind which some statuses came.
void UnseenAnswers::settle_some(InferredCommands& commands) {
    const uint64_t statuses = count_.statuses();
    size_t counting = statuses < near_enough ? 0 : runs_.ended_by(statuses - near_enough);
    if (counting == 0 && runs_.too_many()) counting = runs_.size();
    if (counting > 0) return settle(counting, commands);
    look_again_at_ = statuses + near_enough / 4;
}

void UnseenAnswers::settle(size_t counting, InferredCommands& commands) {
    look_again_at_ = 0;
    if (!ordered_.lay_out(runs_, counting, shape_, commands)) {
        lose_all(commands);
        return lose(commands);
    }
    if (ordered_.decides()) return hold_all(counting, commands);
    if (pairings_.weigh(runs_, counting, shape_, commands)) {
        pairings_.take(runs_, counting, count_.statuses(), ordered_, commands);
        return drop_runs(counting, commands);
    }
    if (!ordered_.any_laid_out()) return lose(commands);
    hold_all(counting, commands);
}

void UnseenAnswers::hold_all(size_t counting, InferredCommands& commands) {
    ordered_.hold_all(runs_, counting, commands);
    pairings_.forget_doubtful();
    drop_runs(counting, commands);
    if (!ordered_.settle(commands)) lose_all(commands);
}

void UnseenAnswers::drop_runs(size_t count, InferredCommands& commands) {
    runs_.drop(count);
    wait_no_longer_if_none(commands);
}

void UnseenAnswers::wait_no_longer_if_none(InferredCommands& commands) {
    if (!runs_.empty()) return;
    if (waiting_) commands.in_flight().end_waiting();
    waiting_ = false;
}

// Who was answered in the runs that wait is not known, nor, for a while, in the next ones.
void UnseenAnswers::lose(InferredCommands& commands) {
    ordered_.forget_pending();
    awaited_.list(runs_.back().last_packet, true, shape_, commands);
    const size_t given_up = awaited_.give_up_listed(commands);
    pairings_.take_none(runs_, commands);
    drop_runs(runs_.size(), commands);
    lose_until_past(given_up);
}

// Nobody knows who is left of all commands under way.
void UnseenAnswers::lose_all(InferredCommands& commands) {
    lose_until_past(awaited_.give_up_all(commands));
}

void UnseenAnswers::lose_until_past(uint64_t given_up) {
    lost_ = true;
    lost_until_ = count_.statuses() + std::max<uint64_t>(long_enough, 2 * given_up);
}

}  // namespace sanscope
