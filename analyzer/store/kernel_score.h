// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/base/log_histogram.h"
#include "analyzer/base/waiting_queue.h"
#include "analyzer/store/chunked_rows.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// How well what was inferred of one sender agrees with what its kernel reported, made while both come in:
//
//   congestion window   At each moment of the kernel's, the estimate in force (the last row of `windows` at or before it) is
//                       held against the kernel's word. What the ACK of that moment makes of the window shows at the next
//                       one, and our row may hold either: the error is the distance to the nearer end of what lies between
//                       the two, relative to the later.
//   congestion state    the share of the time, from the first of these moments to the last, in which both were in the same
//   transitions         of the kernel's and ours, pairs into the same state no farther apart than the smoothed round trip
//                       at that time, but at least 10 ms; each is in one pair at most, the earlier ones first. One of
//                       the kernel's whose state before nobody reported may be none, and is not counted
//   round trip          the kernel's smoothed one at each of these moments, and by how much it is longer than the one
//                       estimated in force: where the capture was made on that host, what packets waited there before
//                       they came by, in a queueing discipline as a rule. A window that fills that queue shows on no wire
//
// The two may come at different times, the kernel's mostly later: what one lacks of the other waits, at most `max_waiting`
// of each kind, and before the kernel's first word at most `max_waiting_for_first`; all senders' together, as `waiting`
// counts them, at most `max_waiting_in_all`. Beyond that the oldest is settled with what is known.
class KernelScore {
  public:
    static constexpr size_t max_waiting = 65536;
    static constexpr size_t max_waiting_for_first = 4096;
    static constexpr size_t max_waiting_in_all = size_t{1} << 20;
    // What a transition may be apart from its match.
    static constexpr int64_t least_tolerance_ns = 10'000'000;

    KernelScore(uint32_t connection, Side side, size_t& waiting)
        : connection_(connection), side_(side), waiting_(&waiting) {}

    // What was inferred: rows of `windows` and `ca_transitions` of this sender. In each of the four, in order of time; what
    // comes late counts from where the others are.
    void on_estimate(const WindowRow& row);
    void on_transition(const CaTransitionRow& row);
    // What the kernel reported.
    void on_kernel_window(const KernelWindowRow& row);
    void on_kernel_transition(const KernelCaTransitionRow& row);
    // Nothing comes any more.
    void finish();

    void set_congestion_control(const std::string& name) { congestion_control_ = name; }
    void set_sampled() { sampled_ = true; }

    uint32_t connection() const { return connection_; }
    Side side() const { return side_; }
    const std::string& congestion_control() const { return congestion_control_; }  // empty where not reported
    bool sampled() const { return sampled_; }  // it was asked now and then: it told no transitions
    bool kernel_known() const { return kernel_known_; }

    uint64_t moments() const { return errors_.count(); }  // at which both had a word on the window
    uint64_t moments_without_estimate() const { return without_estimate_; }
    const LogHistogram& errors() const { return errors_; }  // relative errors of the window, in millionths
    const LogHistogram& round_trips() const { return round_trips_; }    // the kernel's, where both are known
    const LogHistogram& unseen_waits() const { return unseen_waits_; }  // nanoseconds of them, likewise
    uint64_t within_tenth() const { return within_tenth_; }
    int64_t compared_ns() const { return compared_ns_; }  // in which the states of both are known
    int64_t agreed_ns() const { return agreed_ns_; }      // and the same
    uint64_t kernel_transitions() const { return kernel_transitions_; }
    uint64_t own_transitions() const {
        return own_transitions_;
    }  // between the kernel's first moment and its last
    uint64_t matched_transitions() const { return matched_; }

  private:
    struct Estimate {
        int64_t time_ns;
        int64_t srtt_ns;
        uint32_t cwnd;
        CaState state;
    };
    struct KernelEvent {
        int64_t time_ns;
        int64_t srtt_ns;
        uint32_t cwnd;
        CaState state;
        bool state_known;
        bool is_transition;
        bool is_change;
    };
    struct Change {
        int64_t time_ns;
        int64_t tolerance_ns;
    };

    void settle();
    void settle_until(int64_t time_ns);
    void take_estimate();
    void take_kernel_event();
    void pass_to(int64_t time_ns);
    void judge(uint32_t cwnd_after);
    void match_until(int64_t time_ns);
    void match(WaitingQueue<Change>& theirs, WaitingQueue<int64_t>& ours);
    void take_own_change(WaitingQueue<int64_t>& ours);
    void count_own_changes();
    bool is_full(size_t waiting, size_t most) const;
    template <class Queue>
    void pop(Queue& queue);

    uint32_t connection_;
    Side side_;
    bool sampled_ = false;
    bool kernel_known_ = false;
    std::string congestion_control_;
    size_t* waiting_;  // shared by all senders

    WaitingQueue<Estimate> estimates_;
    WaitingQueue<KernelEvent> kernel_events_;
    std::array<WaitingQueue<Change>, ca_states> their_changes_;
    std::array<WaitingQueue<int64_t>, ca_states> our_changes_;
    WaitingQueue<int64_t>
        beyond_;  // of our changes, those matched that are later than what the kernel shown by then
    int64_t last_estimate_ns_ = no_time;
    int64_t last_kernel_ns_ = no_time;  // of a window

    // As of at_ns_, up to which all is settled.
    int64_t at_ns_ = no_time;
    uint32_t our_cwnd_ = unknown<uint32_t>;
    int64_t our_srtt_ns_ = no_time;
    CaState our_state_ = CaState::open;
    CaState their_state_ = CaState::open;
    bool their_state_known_ = false;
    int64_t srtt_ns_ = no_time;
    // The kernel's moment that waits for the next.
    bool moment_waits_ = false;
    uint32_t moment_cwnd_ = 0;
    uint32_t moment_estimate_ = unknown<uint32_t>;

    LogHistogram errors_;
    LogHistogram round_trips_;
    LogHistogram unseen_waits_;
    uint64_t within_tenth_ = 0;
    uint64_t without_estimate_ = 0;
    int64_t compared_ns_ = 0;
    int64_t agreed_ns_ = 0;
    uint64_t kernel_transitions_ = 0;
    uint64_t own_transitions_ = 0;
    uint64_t matched_ = 0;
    int64_t first_kernel_ns_ = no_time;
};

// Those of all senders.
class KernelScores {
  public:
    // That of a sender, made where there is none yet. It stays where it is.
    KernelScore& of(uint32_t connection, Side side);
    void finish();

    const ChunkedRows<KernelScore>& all() const { return scores_; }

  private:
    ChunkedRows<KernelScore> scores_;
    std::vector<uint32_t> places_;  // by connection and side: number in scores_, 0 for none
    std::unique_ptr<size_t> waiting_ = std::make_unique<size_t>(0);
};

}  // namespace sanscope
