// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/budget/scenarios/true_budget.h"

#include <algorithm>

namespace sanscope::simulated {

using Part = BudgetPart;

TrueBudget::TrueBudget(const SimulatedSession& session, const SimulatedCommand& command)
    : begin_ns_(session.initiator().first_sent_ns(command.request_end)), at_ns_(begin_ns_) {
    const SimulatedHost& initiator = session.initiator();
    const SimulatedHost& target = session.target();
    const Own sent{command.request_begin, command.data_out_end};
    for (const SimulatedCommand::Wait& wait : command.waits) {
        pass_held(initiator, initiator.first_sent_ns(wait.sent_end), sent, Part::application);
        pass(Part::r2t_wait, wait.asked_ns);
    }
    pass_stream(initiator, sent, Part::application, Part::request_path);
    pass(Part::target, command.served_ns);
    const Own answer{command.answer_begin, command.answer_end};
    pass_stream(target, answer, Part::target, Part::return_path);
    reached_target_ns_ = initiator.first_arrival_of(command.request_end).leaves_ns + initiator.delay_ns();
    left_target_ns_ = target.first_sent_ns(command.answer_end);
}

void TrueBudget::pass(Part part, int64_t to_ns) {
    if (to_ns <= at_ns_) return;
    at_ns_ = to_ns;
    stretches_.push_back({part, to_ns});
}

// The sender has bytes of the command that it has not sent yet.
void TrueBudget::pass_held(const SimulatedHost& sender, int64_t to_ns, Own own, Part idle) {
    const auto& states = sender.states();
    auto state = std::ranges::upper_bound(states, at_ns_, {}, &SimulatedHost::State::time_ns);
    while (at_ns_ < to_ns) {
        // What it was in before the next event.
        const SimulatedHost::State& from = *std::prev(state);
        const bool last = state == states.end() || state->time_ns >= to_ns;
        const int64_t until_ns = last ? to_ns : state->time_ns;
        const bool waited_for_timer =
            state != states.end() && state->time_ns <= to_ns && state->timer_expired;
        switch (from.limit) {
            case SendLimit::congestion:
                if (waited_for_timer) {
                    pass(Part::timeout, until_ns);
                } else {
                    // Until its own first byte is sent, those of others fill the window.
                    const bool begun = from.snd_nxt > own.begin || from.snd_una >= own.begin;
                    pass_link(sender, until_ns, own, begun ? Part::cwnd : Part::behind_others);
                }
                break;
            case SendLimit::recovery:
                pass(from.state == CaState::loss || waited_for_timer ? Part::timeout : Part::recovery,
                     until_ns);
                break;
            case SendLimit::receiver:
                pass(Part::receiver_window, until_ns);
                break;
            default:
                pass(waited_for_timer ? Part::timeout : idle, until_ns);
        }
        if (last) break;
        ++state;
    }
}

// Bytes leave one after another, the command's own among those of others; `otherwise`: while there are none.
void TrueBudget::pass_link(const SimulatedHost& sender, int64_t to_ns, Own own, Part otherwise) {
    const auto& all = sender.transmissions();
    auto sent = std::ranges::find_if(
        all, [&](const SimulatedHost::Transmission& one) { return one.arrives && one.leaves_ns > at_ns_; });
    for (; sent != all.end() && sent->begins_ns < to_ns; ++sent) {
        if (!sent->arrives) continue;
        const bool is_own = sent->begin < own.end && own.begin < sent->end;
        pass(otherwise, std::min(to_ns, sent->begins_ns));
        pass(is_own ? Part::wire : Part::behind_others, std::min(to_ns, sent->leaves_ns));
    }
    pass(otherwise, to_ns);
}

// Until the last of these bytes can be read at the other end.
void TrueBudget::pass_stream(const SimulatedHost& sender, Own own, Part idle, Part path) {
    pass_held(sender, sender.first_sent_ns(own.end), own, idle);
    const SimulatedHost::Transmission& delivery = sender.delivery_of(own.end);
    if (delivery.again) pass(delivery.by_timer ? Part::timeout : Part::recovery, delivery.sent_ns);
    pass_link(sender, delivery.leaves_ns, own, path);
    pass(path, sender.readable_ns(own.end));
}

CommandBudget TrueBudget::at(bool initiator) const {
    CommandBudget budget;
    int64_t begin_ns = begin_ns_;
    for (const Stretch& stretch : stretches_) {
        const int64_t from_ns = initiator ? begin_ns : std::max(begin_ns, reached_target_ns_);
        const int64_t to_ns = initiator ? stretch.end_ns : std::min(stretch.end_ns, left_target_ns_);
        if (to_ns > from_ns) budget[stretch.part] += to_ns - from_ns;
        begin_ns = stretch.end_ns;
    }
    return budget;
}

int64_t TrueBudget::turnaround_ns(bool initiator) const {
    return initiator ? at_ns_ - begin_ns_ : left_target_ns_ - reached_target_ns_;
}

}  // namespace sanscope::simulated
