// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/base/serial32.h"
#include "analyzer/store/send_track.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// What kept a sender from sending more, told apart by its congestion state where it repaired losses.
// `silent`: by the application, for so long that a retransmission timer may have expired meanwhile. `unclear`: by the application or a
// window, of which too little is known. `unknown`: by anything, as a path that stood still.
enum class Held : uint8_t {
    application,
    silent,
    receiver_window,
    cwnd,
    pacing,
    recovery,
    timeout,
    unclear,
    unknown
};
constexpr size_t held_kinds = 9;
using HeldTimes = std::array<int64_t, held_kinds>;  // nanoseconds

// What is known of the way that a sender's data go.
struct SenderPath {
    uint32_t mss = 0;          // the largest segment's payload, bytes; 0 if unknown
    int64_t rtt_ns = no_time;  // the least round trip; no_time if unknown
};
SenderPath sender_path(const ConnectionRow& connection);

// Questions about one sender's time, answered in O(log n) of the steps between what was asked last and what is asked now. Takes
// half a byte a step, and 24 for each change of what holds the sender back. One thread at a time. All times are the sender's; positions are those of
// its stream, unwrapped. Nothing may be added to the track meanwhile, which outlives this.
class SenderTime {
  public:
    // `losses`: the sender's own, in any order.
    SenderTime(const SendTrack& track, std::span<const LossRow* const> losses, const SenderPath& path);

    // Of a sequence number that was sent about then, give or take 2 GiB.
    int64_t position(Serial32 seq, int64_t about_ns) const;
    // When all up to there had been sent once; no_time if that never was.
    int64_t sent_ns(int64_t position) const;
    // When the acknowledgement of all up to there reached the sender; no_time if none did.
    int64_t acknowledged_ns(int64_t position) const;
    // Up to where it had sent then.
    int64_t sent_by(int64_t time_ns) const;
    // Whether it sent new data from then on and before that; quick where the latter is when what sent_ns() was asked for last
    // was sent, or somewhat earlier.
    bool sent_between(int64_t begin_ns, int64_t end_ns) const;
    HeldTimes held(int64_t begin_ns, int64_t end_ns) const;
    // The sender had nothing to send until then, the last time before, and what it had sent was off the wire; no_time if it
    // always had.
    int64_t idle_until(int64_t time_ns) const;
    // By how much what was outstanding then, of all before that position, takes longer on the path than a round trip: so long the last of
    // it stood in a queue. 0 where it is too little to tell, or the path's rate is not known.
    int64_t queued_before_ns(int64_t position, int64_t time_ns) const;
    // When all before that position, which was sent, had left the path's queue, by the rate of its fastest bytes: not before
    // that could what is sent there arrive. no_time if that is not known.
    int64_t off_wire_before(int64_t position) const;
    // Whether what was outstanding then stood in a queue.
    bool queues_at(int64_t time_ns) const;
    // All stretches of time in which it stood in a queue for `least_ns` or longer, and the longest in each.
    struct Queued {
        int64_t begin_ns;
        int64_t end_ns;
        int64_t longest_ns;
    };
    std::vector<Queued> queues(int64_t least_ns) const;
    // What was first sent then, and ends at that position, could be read by the receiver when everything lost of it and before it
    // had been sent again: that moment, and whether a timer was waited for. The same moment where nothing was lost.
    struct Repaired {
        int64_t time_ns;
        bool by_timer;
    };
    Repaired repaired(int64_t end, int64_t sent_ns) const;
    // How long the sender was silent between the two moments though bytes were lost before, which it sent again later, or are lost of
    // what it sent next: two round trips or more each time. It may have waited for a timer that no packet shows.
    int64_t silent_amid_losses(int64_t begin_ns, int64_t end_ns) const;

    // Whether it sent again, from then on and until that moment, what had been lost before the capture.
    bool repaired_unseen(int64_t begin_ns, int64_t end_ns) const;

    // Whether the capture lacks bytes between the two positions that were acknowledged; any at all.
    bool lacks(int64_t begin, int64_t end) const;
    // Whether the capture lacks half or more of what it sent from that moment on, up to the position.
    bool lacks_most(int64_t from_ns, int64_t end) const;
    bool lacks_any() const { return too_far_apart_ || !missing_.empty(); }

    // Whether the capture, not the path, has many of its segments out of order: then it is not known when they were sent.
    bool captured_out_of_order() const { return captured_out_of_order_; }

    double byte_ns() const { return byte_ns_; }
    // It never had more than a few segments under way, and a window was what allowed no more for much of its time: what
    // seems to wait for nothing may wait for the window.
    bool has_small_window() const { return small_window_; }

  private:
    struct Hole {
        int64_t begin;
        int64_t sent_ns;
        int64_t repaired_ns;  // of this one and all before it, the last
        bool by_timer;
    };
    // From then until the next one begins; behind the last step unknown.
    struct HeldRun {
        int64_t begin_ns;
        Held held;
    };
    static constexpr size_t run_stride = 8;
    static constexpr size_t step_stride = 16;

    bool find_small_window();
    bool find_captured_out_of_order(std::span<const LossRow* const> losses) const;
    void index();
    void carry(int64_t& wire_until_ns, const SendStep& step, int32_t added,
               uint32_t outstanding_before) const;
    void begin_run(int64_t time_ns, Held held);
    void sum_runs();
    HeldTimes held_before(size_t run) const;
    void find_timer_waits(std::span<const LossRow* const> losses);
    void find_missing(std::span<const LossRow* const> losses);
    void find_holes(std::span<const LossRow* const> losses);
    void find_unseen(std::span<const LossRow* const> losses);
    void find_silences();
    bool begins_anew(size_t step) const;
    bool nagle_may_hold(size_t step, const SendStep& from, const SendStep& to) const;
    Held found_held(size_t step, const SendStep& from, const SendStep& to, bool within_write) const;
    bool resumes_after(size_t step) const;
    int32_t added(size_t step) const;
    int64_t position_at(size_t step) const;
    double queued_ns(int64_t outstanding) const;
    int64_t in_queue_until(const SendStep& acknowledged) const;
    size_t last_step_at(int64_t time_ns) const;
    size_t last_run_at(int64_t time_ns) const;

    const SendTrack* track_;
    uint32_t full_segment_;
    int64_t rtt_ns_;
    double byte_ns_;
    bool small_window_ = false;
    bool captured_out_of_order_ = false;
    uint32_t most_outstanding_ = 0;       // bytes; of a small window
    std::vector<int64_t> positions_;      // SND.NXT of every step_stride-th step
    std::vector<int64_t> wire_until_ns_;  // when the path had carried all up to it
    bool too_far_apart_ = false;          // more than 4 GiB from one of these to the next: nothing is known
    std::vector<HeldRun> runs_;
    std::vector<HeldTimes> held_before_;  // every run_stride-th run
    // Steps behind a pause in which there was nothing to send, and what had been sent was off the wire: their times.
    std::vector<int64_t> idle_ends_ns_;
    // Steps behind which the sender was silent until its retransmission timer expired.
    std::vector<size_t> timer_waits_;
    std::vector<Hole> holes_;  // by position
    // When what was sent again came whose original was not captured, in order.
    std::vector<int64_t> unseen_ns_;
    // Before and behind a hole, until the next step; apart from each other, by time.
    struct Silence {
        int64_t from_ns;
        int64_t until_ns;
        int64_t sum_ns;  // the length of this one and those before it
    };
    std::vector<Silence> silences_;
    // Positions of what was not captured, by the first; `end`: the farthest of this one and those before it.
    struct Missing {
        int64_t begin;
        int64_t end;
    };
    std::vector<Missing> missing_;
    // Where the last questions led to: the next ones mostly lead near. Of a command they are about its request and its answer.
    struct Near {
        size_t step = 0;
        int64_t time_ns = 0;
    };
    mutable std::array<Near, 2> near_times_{};
    mutable size_t near_position_ = 0;
    mutable size_t near_acknowledged_ = 0;
    mutable size_t near_idle_end_ = 0;
    mutable size_t near_run_ = 0;
};

}  // namespace sanscope
