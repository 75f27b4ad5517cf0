// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "analyzer/session/inferred/answered_connection.h"
#include "analyzer/session/inferred/awaited_answers.h"
#include "analyzer/session/inferred/strict_order.h"
#include "analyzer/session/inferred/unseen_runs.h"

namespace sanscope {

// Which unseen answer is whose if the target answers strictly in order of request (StrictOrder): the n-th status is
// that of the n-th command by CmdSN (RFC 7143 §4.2.2.1), and the answers laid end to end fill the runs.
//
// In: the CmdSN of each command whose status was seen, and the framed runs. Out: the commands answered in them. They are
// held, and settled once the target is believed to keep that order; if it turns out not to, none of them is settled.
class OrderedAnswers {
  public:
    OrderedAnswers(const AnsweredConnection& of, AwaitedAnswers& awaited) : of_(&of), awaited_(&awaited) {}

    // A PDU of the target, before the tracker has it.
    void before_seen(const Pdu& pdu, const CommandTracker& tracker);
    // The same one's status, so many in all: is it the one whose turn it was? The result is that of lay_out().
    [[nodiscard]] bool after_status(uint64_t statuses, InferredCommands& commands);
    // Statuses came that nobody can count.
    void on_out_of_number() { strict_.on_contradiction(); }

    // Lays the answers out over the first `counting` runs. False: the order, trusted before, broke, and who is left is
    // not known any more.
    [[nodiscard]] bool lay_out(const UnseenRuns& runs, size_t counting, const AnswerShape& shape,
                               InferredCommands& commands);
    bool any_laid_out() const { return !laid_out_.empty(); }
    // Nothing but the order says who is left, or need say it.
    bool decides() const { return trusting_ || strict_.believed(); }
    bool trusted() const { return trusting_; }

    // All that was laid out is held: from here on nothing but the order says who is left.
    void hold_all(const UnseenRuns& runs, size_t counting, InferredCommands& commands);
    // Settles what is held if the order is believed. The result is that of lay_out().
    [[nodiscard]] bool settle(InferredCommands& commands);
    // Of one command, if it was laid out.
    bool hold(uint64_t command, InferredCommands& commands);
    // Those laid out that `is_settled` does not hold for may not have been answered: they are laid out again.
    template <class Predicate>
    void keep_pending(Predicate is_settled) {
        pending_.clear();
        for (const Held& held : laid_out_) {
            if (!is_settled(held.command)) pending_.push_back(held);
        }
    }
    void forget_pending() { pending_.clear(); }
    // What is held is not settled.
    void drop_held(InferredCommands& commands);

  private:
    static constexpr size_t max_held = 4096;

    struct Held {
        uint64_t command = 0;
        Arrival arrival;
        PacketNumber first_packet = 0;  // of the group of statuses
        PacketNumber last_packet = 0;
    };

    bool fill(const UnseenRuns& runs, size_t counting, const AnswerShape& shape, InferredCommands& commands);
    bool fill_group(const UnseenRuns& runs, size_t first, size_t end, size_t& next);
    bool hold(const Held& held, InferredCommands& commands);
    void settle_held(InferredCommands& commands);
    bool order_broke(InferredCommands& commands);

    const AnsweredConnection* of_;
    AwaitedAnswers* awaited_;
    StrictOrder strict_;
    std::optional<Serial32> answering_;  // CmdSN of the command that the PDU at hand answers
    std::deque<Held> held_;
    std::vector<Held> laid_out_;  // of the runs that are settled
    std::vector<Held> pending_;   // laid out before, and by their bytes not certain to have been answered
    bool trusting_ = false;       // in that order alone, as to who is left
};

}  // namespace sanscope
