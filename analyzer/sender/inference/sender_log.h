// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>

#include "analyzer/base/serial32.h"
#include "analyzer/sender/events/capture_clock.h"
#include "analyzer/sender/events/sender_events.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// Where the replay of one side writes: its rows in the store, named after it.
class SenderLog {
  public:
    // `clock`: that of the times which come; nullptr where they are the capture's own.
    SenderLog(ResultStore& store, uint32_t connection, Side side, const CaptureClock* clock)
        : store_(store), summary_(store.add_sender(connection, side)), clock_(clock) {}

    // What all rows of windows begin with.
    WindowRow window_row() const {
        WindowRow row;
        row.connection = summary_.connection();
        row.sender = summary_.side();
        return row;
    }
    // Whether anybody will see how far off a window may be.
    bool keeps_intervals() const { return store_.keeps_window_intervals(); }
    // Times of windows and transitions go on where the capture's clock was set back: how long each held rests on them.
    void window(WindowRow& row) {
        last_window_ns_ = std::max(last_window_ns_, row.time_ns);
        row.time_ns = last_window_ns_;
        store_.add_window(summary_, row);
    }
    void transition(PacketNumber packet, int64_t time_ns, CaState from, CaState to, const char* cause) {
        CaTransitionRow row;
        row.packet = packet;
        // Transitions at one packet get times a microsecond apart, so that their order stays.
        last_transition_ns_ =
            std::max(time_ns, last_transition_ns_ == no_time ? time_ns : last_transition_ns_ + 1000);
        row.time_ns = last_transition_ns_;
        row.from = from;
        row.to = to;
        row.cause = cause;
        row.connection = summary_.connection();
        row.sender = summary_.side();
        store_.add_ca_transition(summary_, row);
    }
    // `original`, `delay_ns`: the packet that first carried the bytes, 0 if none, and how long after it this one was.
    // Returns the row's number. Nothing is said to have been sent again without a packet that brings bytes which were
    // sent before: such a row is not made but counted, and its number is 0.
    uint64_t loss(LossKind kind, const SentSegment& segment, int64_t time_ns, Serial32 seq, uint32_t length,
                  PacketNumber original = 0, int64_t delay_ns = no_time) {
        if (is_sent_again(kind)) {
            const bool shown = segment.sent == Sent::again && !segment.unseen && segment.packet != 0;
            if (!shown) {
                summary_.on_withheld();
                return 0;
            }
            summary_.on_sent_again(segments_of(length));
            if (kind == LossKind::spurious) summary_.on_spurious(segments_of(length));
        }
        LossRow row;
        row.packet = segment.packet;
        row.original_packet = original;
        row.time_ns = clock_ == nullptr ? time_ns : clock_->captured(time_ns);
        row.delay_ns = delay_ns;
        row.connection = summary_.connection();
        row.seq = seq.value;
        row.length = length;
        row.kind = kind;
        row.sender = summary_.side();
        return store_.add_loss(summary_, row);
    }
    // A segment is of so many bytes: to count those in one packet.
    void set_mss(uint32_t mss) { mss_ = mss; }
    // Of a row that was made for something sent again, of so many bytes, for one of those kinds.
    void reclassify(uint64_t loss, LossKind before, LossKind now, uint32_t length) {
        if (loss == 0 || !is_sent_again(before) || !is_sent_again(now)) return;
        if (before != LossKind::spurious && now == LossKind::spurious)
            summary_.on_spurious(segments_of(length));
        store_.reclassify_loss(summary_, loss, before, now);
    }
    // Who put the late segment of that row out of order.
    void reordered(uint64_t loss, Reordering by) { store_.set_reordering(loss, by); }
    SenderSummary& summary() { return summary_; }
    const SenderSummary& summary() const { return summary_; }

  private:
    uint32_t segments_of(uint32_t length) const {
        const uint32_t mss = mss_ == 0 ? length : mss_;
        return length == 0 || mss == 0 ? 1 : (length + mss - 1) / mss;
    }

    ResultStore& store_;
    SenderSummary& summary_;
    const CaptureClock* clock_;
    uint32_t mss_ = 0;
    int64_t last_window_ns_ = no_time;
    int64_t last_transition_ns_ = no_time;
};

}  // namespace sanscope
