// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "analyzer/sender/testing/congestion_strategy.h"
#include "analyzer/sender/testing/flight.h"
#include "analyzer/sender/testing/rack.h"
#include "analyzer/sender/testing/round_trip.h"
#include "analyzer/sender/testing/virtual_time.h"
#include "analyzer/sender/testing/wire_segment.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope::simulated {

// A TCP sender written from the RFCs, with Linux's choices where they leave one, that exposes its own variables. It
// shares nothing with the inference it helps to test.
//
//   congestion control  RFC 5681 or RFC 9438; growth only while the window is what holds the sender back (RFC 7661's
//                       aim, Linux's tcp_is_cwnd_limited rule); the window after idleness by RFC 2861
//   loss detection      RACK-TLP (RFC 8985) with SACK, else three duplicate acknowledgements (RFC 6582)
//   reduction           PRR (RFC 6937 with the safe bound of its successor), for ECN (RFC 3168 §6.1.2) as well
//   timeouts            RFC 6298 with 200 ms at least; F-RTO (RFC 5682 §3)
//   undo                by timestamps (RFC 3522, RFC 4015) and by D-SACK (RFC 3708)
class SimulatedSender {
  public:
    enum class Control { reno, cubic, cubic_without_hystart, reno_shared_by_four, vegas };

    struct Options {
        Serial32 first_byte{1};  // sequence number of the first byte of data
        uint32_t mss = 1448;
        uint32_t initial_window = 10;  // segments (RFC 6928)
        Control control = Control::reno;
        bool sack = true;
        bool timestamps = true;
        bool ecn = false;
        bool tail_loss_probes = true;
        bool slow_start_after_idle = true;               // RFC 2861
        uint32_t send_buffer_bytes = unknown<uint32_t>;  // unacknowledged and unsent bytes the host will hold
        uint32_t clock_offset = 1'000'000;               // TSval = that + milliseconds
    };

    struct Figures {
        uint32_t cwnd = 0;                      // segments
        uint32_t ssthresh = infinite_ssthresh;  // segments
        CaState state = CaState::open;
        uint32_t in_flight = 0;  // segments neither acknowledged, SACKed nor lost (RFC 6675's pipe)
        Serial32 snd_una;
        Serial32 snd_nxt;
        SendLimit limit = SendLimit::application;
    };

    // What the world sees of a sender.
    struct Observer {
        std::function<void(const WireSegment&)> sent;   // goes onto the wire
        std::function<void(const WireSegment&)> heard;  // the figures have taken the acknowledgement in
        std::function<void(CaState from, CaState to)> changed;  // before `heard` or `sent` of the same moment
    };

    SimulatedSender(VirtualTime& time, const Options& options, Observer observer);

    // The handshake took so long, and the peer offers so much.
    void established(int64_t rtt_ns, uint32_t window);
    // The application hands over more to send.
    void write(uint64_t bytes);
    void on_ack(const WireSegment& ack);
    // RFC 1122 §4.2.3.6: an empty segment one byte before what is expected.
    void keep_alive();

    Figures figures() const;
    uint64_t bytes_acknowledged() const { return bytes_acknowledged_; }
    uint64_t retransmissions() const { return retransmissions_; }
    uint64_t timeouts() const { return timeouts_; }
    uint64_t probes() const { return probes_; }
    const RoundTrip& round_trip() const { return round_trip_; }

  private:
    // What one acknowledgement brought to light.
    struct Heard {
        uint32_t delivered = 0;  // segments newly known to have arrived
        uint32_t acked = 0;      // segments newly acknowledged, SACKed before or not
        uint32_t newly_lost = 0;
        bool advanced = false;             // SND.UNA moved
        bool sacked_some = false;          // segments newly SACKed
        bool original_arrived = false;     // one sent once, before the timeout, arrived
        bool duplicate_reported = false;   // a D-SACK came
        bool probe_was_duplicate = false;  // and it was that of the tail loss probe
        bool duplicate_ack = false;        // RFC 5681 §2
        bool congestion_echoed = false;
        bool echo_before_retransmission = false;  // TSecr is of a moment before the first retransmission
        bool timeout_begins_anew = false;         // RFC 6298 §5.3
        std::optional<int64_t> rtt_ns;  // of the oldest segment acknowledged or SACKed now, sent once
        std::optional<int64_t> newest_rtt_ns;
        uint64_t delivered_when_sent = 0;  // of the segment sent last among those delivered
        Serial32 una_before;
        Serial32 highest_before;  // the end of the highest segment that was SACKed
    };
    enum class Retransmit { no, lost, new_data_only };

    Heard take_note(const WireSegment& ack);
    void note_duplicate(const WireSegment& ack, Heard& heard);
    void note_sacks(const WireSegment& ack, Heard& heard);
    void note_acknowledged(const WireSegment& ack, Heard& heard);
    void note_delivered(const OutstandingSegment& segment, Heard& heard);
    void note_reordering(Serial32 seq, Serial32 highest_before);
    void count_duplicate_ack(Heard& heard);
    bool limit_duplicates(uint32_t acked);

    void judge_tail_loss_probe(const WireSegment& ack, const Heard& heard);
    Retransmit run_state_machine(Heard& heard);
    Retransmit run_loss(Heard& heard);
    void detect_losses(Heard& heard);
    void keep_open();
    void enter(CaState state);
    void begin_reduction();
    void end_reduction();
    void reduce(const Heard& heard);
    void enter_cwr();
    void enter_recovery();
    bool may_undo(const Heard& heard) const;
    bool undo_if_all_dsacked();
    void undo();
    bool held_for_want_of_sack() const;
    bool ends_episode(const Heard& heard);
    Retransmit run_recovery(Heard& heard);
    Retransmit run_ordinary(Heard& heard);
    void grow(const Heard& heard);

    void send(Retransmit what);
    void retransmit_lost();
    void send_new();
    void retransmit(OutstandingSegment& segment);
    void transmit(OutstandingSegment& segment);
    bool send_one_new();
    uint32_t next_length() const;
    bool waits_for_buffer() const;
    void note_whether_limited();
    void restart_after_idle();

    void arm_timer(bool advancing);
    void rearm_timeout();
    void on_timer();
    void on_timeout();
    void on_reordering_timer();
    void send_probe();
    void send_empty(Serial32 seq);

    uint32_t sacked() const { return options_.sack ? flight_.sacked() : duplicate_acks_; }
    uint32_t in_flight() const;
    SendLimit limit() const;
    bool reducing() const { return state_ == CaState::cwr || state_ == CaState::recovery; }
    Serial32 window_end() const { return snd_una_ + window_; }
    CongestionStrategy::Moment moment() const { return {time_.now(), snd_una_, snd_nxt_}; }
    uint32_t timestamp_now() const {
        return options_.clock_offset + static_cast<uint32_t>(time_.now() / millisecond);
    }

    VirtualTime& time_;
    Options options_;
    Observer observer_;
    std::unique_ptr<CongestionStrategy> strategy_;
    Flight flight_;
    Rack rack_;
    RoundTrip round_trip_;

    // RFC 9293's variables, and the application's bytes not yet sent.
    Serial32 snd_una_;
    Serial32 snd_nxt_;
    uint32_t window_ = 0;
    uint64_t unsent_ = 0;

    CongestionWindow congestion_;
    CaState state_ = CaState::open;
    Serial32 high_seq_;  // SND.NXT when the state was entered

    // PRR (RFC 6937 §3).
    uint32_t window_before_ = 0;  // RecoverFS, which Linux takes for cwnd at the time
    uint32_t prr_delivered_ = 0;
    uint32_t prr_out_ = 0;

    // Undo: what was before, and how many retransmissions no D-SACK has yet shown to be needless (-1: none was sent).
    bool can_undo_ = false;
    int64_t unconfirmed_retransmissions_ = -1;
    CongestionWindow before_reduction_;
    Serial32 undo_from_;
    std::optional<uint32_t> first_retransmission_timestamp_;
    uint32_t recent_timestamp_ = 0;  // TS.Recent (RFC 7323)

    bool spurious_timeout_possible_ = false;  // F-RTO
    uint32_t duplicate_acks_ = 0;             // without SACK: segments that must have arrived
    uint64_t delivered_ = 0;

    // The tail loss probe on its way, if any: SND.NXT at the time.
    std::optional<Serial32> probe_high_;
    bool probe_repeats_ = false;  // it carries no new data

    // Was the window what held the sender back? Of the current window of data (Linux's tcp_cwnd_validate).
    bool window_limited_ = false;
    uint32_t flight_peak_ = 0;
    Serial32 usage_round_end_;
    int64_t window_used_ns_ = 0;    // when the window was last used in full, or validated (RFC 2861)
    uint32_t peak_since_used_ = 0;  // the largest flight since

    bool announce_reduction_ = false;  // CWR in the next new segment (RFC 3168 §6.1.2)

    enum class Alarm { none, timeout, tail_loss_probe, reordering, window_probe };
    VirtualTimer timer_;
    Alarm alarm_ = Alarm::none;
    uint32_t backoff_ = 0;            // doublings of the timeout
    uint32_t timeouts_in_a_row_ = 0;  // with nothing acknowledged between
    int64_t last_data_sent_ns_ = 0;
    uint16_t ip_id_ = 0;

    uint64_t bytes_acknowledged_ = 0;
    uint64_t retransmissions_ = 0;
    uint64_t timeouts_ = 0;
    uint64_t probes_ = 0;
};

}  // namespace sanscope::simulated
