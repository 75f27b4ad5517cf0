// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <utility>

#include "analyzer/sender/events/sender_events.h"
#include "analyzer/sender/inference/application_limit.h"
#include "analyzer/sender/inference/loss_journal.h"
#include "analyzer/sender/inference/replayed_sender.h"
#include "analyzer/sender/inference/sender_log.h"
#include "analyzer/sender/inference/timestamp_ticks.h"
#include "analyzer/sender/inference/unscaled_window.h"
#include "analyzer/sender/kernel/send_budget.h"

namespace sanscope {

// Drives the replayed kernel by what was seen on the wire. An acknowledgement makes the kernel go as it is; of a
// segment sent it has to be found out what made the kernel send it, and of data that no packet brought, that they must
// have been sent.
class WireInterpreter {
  public:
    WireInterpreter(SenderLog& log, SendBudget& budget, const SenderOptions& options);

    void on_sent(const SentSegment& segment);
    // False: neither the kernel's own state nor a window is another than before, but for the time.
    bool on_ack(const ReceivedAck& ack);
    // The kernel never saw it, but what it says is true.
    void on_discarded(const ReceivedAck& ack);

    // Nothing is outstanding, and this acknowledgement repeats the one before: as every segment does that comes to a
    // side which itself is silent.
    bool carries_nothing_new(const ReceivedAck& ack) const {
        return tp_.packets_out == 0 && ack.ack == tp_.snd_una && ack.sack_blocks == 0 &&
               !kernel_.probe().out() && ack.window == tp_.snd_wnd &&
               (ack.flags & (tcp_syn | tcp_rst | tcp_ece)) == 0 && tp_.ca_state == CaState::open;
    }
    // Of such a one, only the sequence counts (SND.WL1): an equal one after it is a duplicate.
    void take_sequence(const ReceivedAck& ack) {
        if (ack.payload_length == 0 && tp_.sack && !ack.options_cut && (ack.flags & tcp_fin) == 0 &&
            !ack.seq.before(tp_.snd_wl1)) {
            journal_.on_unasked_ack(ack.time_ns);
        }
        if (ack.seq.after(tp_.snd_wl1)) tp_.snd_wl1 = ack.seq;
    }

    // No round trip of the whole path is shorter.
    void note_least_rtt(int64_t us) { tp_.least_rtt_us = us; }

    const SenderState& state() const { return tp_; }
    WindowCandidates& windows() { return windows_; }
    const WindowCandidates& windows() const { return windows_; }
    // A gap of the capture ended with the last event: what was so in it is not known. True once.
    bool take_lost_track() { return std::exchange(lost_track_, false); }
    // What the other side sent shows that the capture has a gap, which this side's own events need not show.
    void forget_windows() {
        if (begun_) windows_.each([&](auto& candidate) { candidate.init_late(tp_); });
    }
    bool begun() const { return begun_; }
    const UnscaledWindow& unscaled_window() const { return unscaled_; }

  private:
    using Index = SendQueue::Index;
    using Segment = SendQueue::Segment;

    void set_now(PacketNumber packet, int64_t time_ns);
    void begin_late(Serial32 seq);
    void begin_in_flight();
    int64_t most_let_go() const;
    void lose_track(Serial32 seq);
    void note_heard(Serial32 ack);
    // Bytes up to `end` were sent before the replay began, and are not known to be acknowledged.
    bool is_outstanding(Serial32 end) const;

    void on_syn(const SentSegment& segment);
    void on_unseen(const SentSegment& segment, Serial32 begin, Serial32 end);
    void on_first_time(const SentSegment& segment, Serial32 begin, Serial32 end);
    void on_known(const SentSegment& segment, Serial32 begin, Serial32 end);
    void send_new(const SentSegment& segment, Serial32 begin, Serial32 end);
    bool is_probe_of_new_data() const;
    uint32_t mss_of(const SentSegment& segment) const;
    void queue_segments(const SentSegment& segment, Serial32 begin, Serial32 end, bool unseen);
    void note_transmission(const SentSegment& segment);

    // Data that the capture does not have.
    void add_unseen(Serial32 begin, Serial32 end);
    void add_missed(Serial32 seq);
    void fill_in(const SentSegment& segment, Serial32 begin, Serial32 end, uint64_t late_row);

    void resend(const SentSegment& segment);
    void resend_segment(const SentSegment& segment, Index i, LossKind kind);

    void learn_sack(const ReceivedAck& ack);
    bool repeats_all(const ReceivedAck& ack) const;
    bool update_by_repeated(const ReceivedAck& ack);
    int64_t tsopt_rtt_us() const;

    WindowCandidates windows_;
    LossJournal journal_;
    ReplayedSender kernel_;
    SenderState& tp_;
    bool estimated_;       // the events are RemoteSender's
    int64_t base_us_ = 0;  // from which time is counted: Linux's is never negative, a capture's may be
    TimestampTicks ticks_;
    ApplicationLimit application_;
    UnscaledWindow unscaled_;
    bool begun_ = false;
    bool sack_known_ = false;
    uint8_t plain_duplicates_ = 0;  // duplicate acknowledgements without SACK, while it is not known
    bool initial_seq_known_ = false;
    Serial32 initial_seq_;
    // Where a capture begins, or goes on, with data: whether what was sent before may be outstanding, and the
    // acknowledgement that came farthest since.
    bool begun_in_flight_ = false;
    bool lost_track_ = false;
    int64_t silence_us_ = 0;         // before this event
    int64_t unseen_bytes_ = 0;       // sent since what was seen or heard last
    int64_t most_unseen_bytes_ = 0;  // … that is no gap of the capture
    bool any_heard_ = false;
    Serial32 heard_;
    int64_t last_new_us_ = 0;  // new data were sent, for the last time
};

}  // namespace sanscope
