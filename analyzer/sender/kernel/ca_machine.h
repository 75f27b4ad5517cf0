// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analyzer/net/decoded_packet.h"
#include "analyzer/sender/candidates/window_candidates.h"
#include "analyzer/sender/events/sender_events.h"
#include "analyzer/sender/inference/sender_log.h"
#include "analyzer/sender/inference/timestamp_ticks.h"
#include "analyzer/sender/kernel/rtt_estimator.h"
#include "analyzer/sender/kernel/send_queue.h"
#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {

// Linux's loss recovery (tcp_input.c, tcp_recovery.c, tcp_timer.c as of 6.x), replayed: the SACK scoreboard, RACK-TLP
// (RFC 8985) or NewReno (RFC 6582) where there is no SACK, the congestion states, undo by D-SACK and by timestamps,
// F-RTO (RFC 5682), ECN's CWR (RFC 3168).
//
// Acknowledgements make it go as they make the kernel go. Its timers it cannot see: that one fired is told by a
// retransmission that nothing else explains.
class CaMachine {
  public:
    CaMachine(SenderLog& log, SendBudget& budget, const SenderOptions& options);

    void on_sent(const SentSegment& segment);
    // False: neither its own state nor a window is another than before, but for the time.
    bool on_ack(const ReceivedAck& ack);

    // Nothing is outstanding, and this acknowledgement says what the one before said: as every segment does that comes
    // to a side which itself is silent.
    bool carries_nothing_new(const ReceivedAck& ack) const {
        return state_.packets_out == 0 && ack.ack == state_.snd_una && ack.sack_blocks == 0 && !probing_ &&
               ack.window == state_.snd_wnd && (ack.flags & (tcp_syn | tcp_rst | tcp_ece)) == 0 &&
               state_.ca_state == CaState::open;
    }

    // Of such a one, only the sequence counts (SND.WL1): an equal one after it is a duplicate.
    void take_sequence(const ReceivedAck& ack) {
        if (ack.seq.after(window_seq_)) window_seq_ = ack.seq;
    }

    const SenderState& state() const { return state_; }
    WindowCandidates& windows() { return windows_; }
    const WindowCandidates& windows() const { return windows_; }
    bool begun() const { return begun_; }

  private:
    using Index = SendQueue::Index;
    using Segment = SendQueue::Segment;

    struct Flags {
        bool data = false;  // came with data
        bool window_update = false;
        bool data_acked = false;
        bool syn_acked = false;
        bool retransmitted_acked = false;
        bool data_sacked = false;
        bool original_acked = false;  // acknowledged or SACKed, below high_seq, sent but once
        bool ece = false;
        bool una_advanced = false;
        bool dsacking = false;
        bool dsack_of_probe = false;
        bool reneging = false;
        bool lost_retransmit = false;

        bool acked() const { return data_acked || syn_acked; }
        bool not_dup() const { return data || window_update || acked(); }
        bool alert() const { return data_sacked || ece || dsacking; }
    };

    // What one acknowledgement gathers on its way through.
    struct AckWork {
        const ReceivedAck* ack = nullptr;
        Flags flags;
        Serial32 prior_una;
        Serial32 reordered;  // the lowest never retransmitted byte that came after a higher one
        int64_t first_sacked_us = 0;
        uint32_t sack_delivered = 0;
        int64_t rtt_us = -1;
        uint32_t prior_delivered = 0;  // as the newest segment delivered now was sent; 0: none was
        Serial32 newest_end;
        int64_t newest_sent_us = 0;
        int64_t prior_delivered_us = 0;
        bool app_limited = false;
        // Not worth zeroing: they hold where first_sacked_us and prior_delivered_us do.
        int64_t last_sacked_us;
        int64_t send_interval_us;
    };

    struct Rack {
        int64_t sent_us = 0;  // the latest transmission known to have arrived
        Serial32 end;
        int64_t rtt_us = 0;
        bool advanced = false;
        uint32_t window_steps = 1;
        bool dsack_seen = false;
        uint32_t persist = 0;
        uint32_t last_delivered = 0;
    };

    struct Retransmission {
        Serial32 begin;
        Serial32 end;
        uint64_t loss = 0;
        LossKind kind = LossKind::fast_retransmit;
    };

    void note_time(int64_t time_ns);

    // Transmission.
    void begin(Serial32 seq);
    void send_syn(const SentSegment& segment);
    void send_new(const SentSegment& segment, Serial32 begin, uint32_t length);
    void add_missed(Serial32 seq);
    void fill_in(const SentSegment& segment, Serial32 begin, Serial32 end, uint64_t late_row);
    void resend_known(const SentSegment& segment, Serial32 begin, Serial32 end);
    void add_unseen(Serial32 begin, Serial32 end);
    void restart(Serial32 seq);
    void add_segment(const SentSegment& segment, Serial32 begin, Serial32 end, bool unseen);
    void resend(const SentSegment& segment);
    LossKind explain_resend(Index i);
    void resend_segment(const SentSegment& segment, Index i, LossKind kind);
    void note_loss(const SentSegment& segment, Serial32 begin, uint32_t length, LossKind kind,
                   Segment* original);
    bool probe_due(Index i) const;
    void stamp_for_rate(Segment& segment);
    void note_transmission(const SentSegment& segment);
    int64_t rtt_by_echo_us() const;

    // Acknowledgement.
    bool acknowledges_nothing(const ReceivedAck& ack) const;
    void process(AckWork& work);
    bool update_window(const ReceivedAck& ack);
    void tag_sacked(AckWork& work);
    bool check_dsack(AckWork& work);
    void note_spurious(const SendQueue::Segment& segment);
    uint32_t note_dsack(AckWork& work, Serial32 begin, Serial32 end);
    bool sack_block_valid(bool dsack, Serial32 begin, Serial32 end) const;
    void tag_within(AckWork& work, const ReceivedAck::Block& block, Serial32 from, Serial32 to, bool dsack);
    void tag_one(AckWork& work, Index i, bool dsack);
    void clean_rtx_queue(AckWork& work, Serial32 prior_fack);
    void take_rtt(AckWork& work, int64_t seq_rtt_us, int64_t sack_rtt_us, int64_t last_rtt_us);
    void note_order(const Segment& segment, bool passed);
    void note_delivered(AckWork& work, const Segment& segment);
    void sample_rate(const AckWork& work, RateSample& rate) const;
    void note_app_limited(uint32_t length);
    void process_tlp_ack(const AckWork& work);
    void fastretrans_alert(AckWork& work, uint32_t duplicates);
    void process_recovery(AckWork& work, uint32_t duplicates, bool& done);
    void process_loss_state(AckWork& work, uint32_t duplicates);

    // RACK and loss marking.
    void rack_advance(const Segment& segment);
    int64_t rack_window_us() const;
    void rack_detect();
    void rack_mark_lost();
    void rack_update_window(const AckWork& work);
    void identify_loss(AckWork& work);
    void mark_lost(Index i);
    void check_reordering(Serial32 low);
    Serial32 highest_sacked() const;

    // Without SACK.
    void add_reno_sacks(uint32_t duplicates);
    void remove_reno_sacks(uint32_t acked);
    void limit_reno_sacks(uint32_t addend);

    // States.
    void enter(CaState to, const char* cause);
    void enter_recovery(bool ece, const char* cause);
    void enter_loss(const char* cause);
    void enter_cwr(const char* cause);
    void begin_reduction();
    void end_reduction();
    void begin_undo();
    void undo(bool unmark_lost);
    bool may_undo() const;
    bool packet_delayed() const;
    bool try_undo_recovery(const char* cause);
    bool try_undo_dsack();
    bool try_undo_loss(bool by_frto);
    bool reno_prevents_reopening();
    void try_keep_open(const char* cause);
    void try_to_open(const AckWork& work);
    bool any_retransmission_out() const;

    bool echo_before(uint32_t timestamp) const;
    LossKind kind_now() const;

    SenderLog& log_;
    SenderState state_;
    SendQueue queue_;
    WindowCandidates windows_;
    RttEstimator rtt_;
    Rack rack_;
    bool begun_ = false;
    bool handshake_ = false;  // SYN is outstanding
    bool timestamps_;
    bool initial_seq_known_ = false;
    uint32_t syn_transmissions_ = 0;
    Serial32 initial_seq_;

    PacketNumber packet_ = 0;
    int64_t time_ns_ = no_time;
    int64_t stepped_back_us_ = 0;  // added to all times since

    Index highest_sack_ = SendQueue::none;  // the segment behind the highest SACKed
    uint32_t reordering_ = 3;
    bool reordering_seen_ = false;
    Serial32 undo_marker_;
    int64_t undo_retrans_ = -1;
    uint32_t retrans_stamp_ = 0;
    bool retrans_stamped_ = false;
    uint32_t echo_ = 0;  // TSecr of the acknowledgement at hand
    bool echo_seen_ = false;
    uint32_t max_window_ = 0;
    Serial32 window_seq_;  // SND.WL1
    uint64_t dsacked_ = 0;
    uint64_t total_retransmissions_ = 0;
    TimestampTicks ticks_;
    uint64_t burst_bytes_ = 0;      // sent at once, last
    bool last_was_short_ = false;   // the last new segment was not full
    bool window_was_full_ = false;  // nearly, after the last new segment, if BBR
    bool more_waiting_ = false;     // the last new segment was not pushed
    bool frto_ = false;
    uint32_t timeouts_ = 0;  // in a row
    Serial32 probe_end_;     // tlp_high_seq
    bool probing_ = false;
    bool probe_resent_ = false;
    int64_t last_probe_or_progress_us_ = 0;  // a probe is due so long after
    int64_t first_lost_us_ = 0;              // the first segment was found lost, for the last time
    int64_t timeout_base_us_ = 0;            // the retransmission timer was started
    int64_t min_rtt_seen_us_ = 0;
    int64_t first_tx_us_ = 0;
    int64_t last_new_us_ = 0;  // new data were sent, for the last time
    std::array<ReceivedAck::Block, 4> sack_cache_{};
    uint8_t sack_cache_size_ = 0;
    std::vector<Retransmission> recent_;  // a ring, once there was one
    uint64_t recent_count_ = 0;
    uint64_t timeout_begin_ = 0;  // recent_count_ as Loss was entered
};

}  // namespace sanscope
