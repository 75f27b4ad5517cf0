// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/kernel_score.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sanscope {
namespace {

constexpr int64_t end_of_time = std::numeric_limits<int64_t>::max();

// However far a made-up time is away.
int64_t apart(int64_t earlier_ns, int64_t later_ns) {
    int64_t difference_ns = 0;
    if (!__builtin_sub_overflow(later_ns, earlier_ns, &difference_ns)) return difference_ns;
    return later_ns > earlier_ns ? end_of_time : -end_of_time;
}

}  // namespace

void KernelScore::on_estimate(const WindowRow& row) {
    if (is_full(estimates_.size(), kernel_known_ ? max_waiting : max_waiting_for_first))
        settle_until(estimates_.front().time_ns);
    estimates_.push({row.time_ns, row.srtt_ns, row.cwnd, row.ca_state});
    ++*waiting_;
    last_estimate_ns_ = std::max(last_estimate_ns_, row.time_ns);
    settle();
}

void KernelScore::on_transition(const CaTransitionRow& row) {
    WaitingQueue<int64_t>& ours = our_changes_[static_cast<size_t>(row.to)];
    if (is_full(ours.size(), kernel_known_ ? max_waiting : max_waiting_for_first)) take_own_change(ours);
    ours.push(row.time_ns);
    ++*waiting_;
}

void KernelScore::on_kernel_window(const KernelWindowRow& row) {
    if (is_full(kernel_events_.size(), max_waiting)) settle_until(kernel_events_.front().time_ns);
    kernel_known_ = true;
    kernel_events_.push({row.time_ns, row.srtt_ns, row.cwnd, row.ca_state, row.ca_state_known, false, false});
    ++*waiting_;
    last_kernel_ns_ = std::max(last_kernel_ns_, row.time_ns);
    count_own_changes();
    settle();
}

void KernelScore::on_kernel_transition(const KernelCaTransitionRow& row) {
    if (is_full(kernel_events_.size(), max_waiting)) settle_until(kernel_events_.front().time_ns);
    kernel_known_ = true;
    kernel_events_.push({row.time_ns, no_time, unknown<uint32_t>, row.to, true, true, row.from_known});
    ++*waiting_;
}

void KernelScore::finish() {
    settle_until(last_kernel_ns_);
    if (moment_waits_) judge(moment_cwnd_);
    moment_waits_ = false;
    // Of what the kernel reported behind its last window, the transitions count, but no time.
    at_ns_ = no_time;
    while (!kernel_events_.empty()) take_kernel_event();
    while (!estimates_.empty()) take_estimate();
    match_until(end_of_time);
    for (WaitingQueue<int64_t>& ours : our_changes_) {
        while (!ours.empty()) take_own_change(ours);
    }
    while (!beyond_.empty()) pop(beyond_);
}

bool KernelScore::is_full(size_t waiting, size_t most) const {
    return waiting > 0 && (waiting >= most || *waiting_ >= max_waiting_in_all);
}

template <class Queue>
void KernelScore::pop(Queue& queue) {
    queue.pop();
    --*waiting_;
}

// As far as both sides have come. A row of the same time as the last may yet follow.
void KernelScore::settle() {
    if (last_estimate_ns_ == no_time || last_kernel_ns_ == no_time) return;
    settle_until(std::min(last_estimate_ns_ - 1, last_kernel_ns_));
    match_until(last_estimate_ns_);
}

void KernelScore::settle_until(int64_t time_ns) {
    while (true) {
        const int64_t ours_ns = estimates_.empty() ? end_of_time : estimates_.front().time_ns;
        const int64_t theirs_ns = kernel_events_.empty() ? end_of_time : kernel_events_.front().time_ns;
        if (std::min(ours_ns, theirs_ns) > time_ns) return;
        if (ours_ns <= theirs_ns) {
            if (estimates_.empty()) return;
            take_estimate();
        } else {
            take_kernel_event();
        }
    }
}

void KernelScore::take_estimate() {
    const Estimate estimate = estimates_.front();
    pop(estimates_);
    pass_to(estimate.time_ns);
    our_cwnd_ = estimate.cwnd;
    if (estimate.srtt_ns != no_time) our_srtt_ns_ = estimate.srtt_ns;
    our_state_ = estimate.state;
}

void KernelScore::take_kernel_event() {
    const KernelEvent told = kernel_events_.front();
    pop(kernel_events_);
    pass_to(told.time_ns);
    if (told.is_transition && told.is_change) {
        ++kernel_transitions_;
        const int64_t tolerance_ns = std::max(srtt_ns_, least_tolerance_ns);
        their_changes_[static_cast<size_t>(told.state)].push({told.time_ns, tolerance_ns});
        ++*waiting_;
    } else if (!told.is_transition) {
        if (first_kernel_ns_ == no_time) at_ns_ = first_kernel_ns_ = told.time_ns;
        if (told.srtt_ns != no_time) srtt_ns_ = told.srtt_ns;
        if (told.srtt_ns != no_time && our_srtt_ns_ != no_time) {
            round_trips_.add(told.srtt_ns);
            unseen_waits_.add(std::max<int64_t>(0, apart(our_srtt_ns_, told.srtt_ns)));
        }
        if (told.cwnd != unknown<uint32_t>) {
            if (moment_waits_) judge(told.cwnd);
            moment_waits_ = true;
            moment_cwnd_ = told.cwnd;
            moment_estimate_ = our_cwnd_;
        }
    }
    if (!told.state_known) return;
    their_state_ = told.state;
    their_state_known_ = true;
}

void KernelScore::pass_to(int64_t time_ns) {
    if (at_ns_ == no_time || time_ns <= at_ns_) return;
    if (their_state_known_) {
        const int64_t passed_ns = apart(at_ns_, time_ns);
        compared_ns_ += passed_ns;
        if (our_state_ == their_state_) agreed_ns_ += passed_ns;
    }
    at_ns_ = time_ns;
}

void KernelScore::judge(uint32_t cwnd_after) {
    if (moment_estimate_ == unknown<uint32_t>) {
        ++without_estimate_;
        return;
    }
    const auto [low, high] = std::minmax(moment_cwnd_, cwnd_after);
    const uint32_t away = moment_estimate_ < low    ? low - moment_estimate_
                          : moment_estimate_ > high ? moment_estimate_ - high
                                                    : 0;
    const double error = static_cast<double>(away) / std::max(cwnd_after, 1u);
    errors_.add(std::llround(error * 1e6));
    if (error <= 0.1) ++within_tenth_;
}

// Ours are known up to then.
void KernelScore::match_until(int64_t time_ns) {
    for (size_t state = 0; state < ca_states; ++state) {
        WaitingQueue<Change>& theirs = their_changes_[state];
        while (!theirs.empty() && apart(theirs.front().time_ns, time_ns) > theirs.front().tolerance_ns)
            match(theirs, our_changes_[state]);
    }
}

void KernelScore::match(WaitingQueue<Change>& theirs, WaitingQueue<int64_t>& ours) {
    const Change change = theirs.front();
    pop(theirs);
    while (!ours.empty() && apart(ours.front(), change.time_ns) > change.tolerance_ns) take_own_change(ours);
    if (ours.empty() || apart(change.time_ns, ours.front()) > change.tolerance_ns) return;
    ++matched_;
    take_own_change(ours);
}

void KernelScore::take_own_change(WaitingQueue<int64_t>& ours) {
    const int64_t time_ns = ours.front();
    pop(ours);
    if (first_kernel_ns_ == no_time || time_ns < first_kernel_ns_) return;
    if (time_ns <= last_kernel_ns_) {
        ++own_transitions_;
    } else {
        beyond_.push(time_ns);
        ++*waiting_;
    }
}

// Those matched that the kernel's last moment had not come to.
void KernelScore::count_own_changes() {
    while (!beyond_.empty() && beyond_.front() <= last_kernel_ns_) {
        pop(beyond_);
        ++own_transitions_;
    }
}

KernelScore& KernelScores::of(uint32_t connection, Side side) {
    const size_t place = size_t{connection} * 2 + index_of(side);
    if (place >= places_.size()) places_.resize(place + 1, 0);
    if (places_[place] == 0) {
        scores_.append(KernelScore(connection, side, *waiting_));
        places_[place] = static_cast<uint32_t>(scores_.size());
    }
    return scores_[places_[place] - 1];
}

void KernelScores::finish() {
    for (KernelScore& score : scores_) score.finish();
}

}  // namespace sanscope
