// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/testing/simulated_sender.h"

#include <algorithm>
#include <utility>

namespace sanscope::simulated {
namespace {

constexpr Serial32 peers_next{1};  // the peer sends nothing but its SYN, number 0
constexpr int64_t least_timeout_ns = 200 * millisecond;
constexpr int64_t timer_slack_ns = 2 * millisecond;  // what Linux adds to its short timers
constexpr int64_t longest_timeout_ns = 120 * second;

std::unique_ptr<CongestionStrategy> strategy_for(SimulatedSender::Control control) {
    switch (control) {
        case SimulatedSender::Control::reno:
            return make_reno();
        case SimulatedSender::Control::cubic:
            return make_cubic();
        case SimulatedSender::Control::cubic_without_hystart:
            return make_cubic(false);
        case SimulatedSender::Control::reno_shared_by_four:
            return make_shared_reno(4);
        case SimulatedSender::Control::vegas:
            return make_vegas();
    }
    return make_reno();
}

}  // namespace

SimulatedSender::SimulatedSender(VirtualTime& time, const Options& options, Observer observer)
    : time_(time),
      options_(options),
      observer_(std::move(observer)),
      strategy_(strategy_for(options.control)),
      snd_una_(options.first_byte),
      snd_nxt_(options.first_byte),
      high_seq_(options.first_byte),
      usage_round_end_(options.first_byte),
      timer_(time, [this] { on_timer(); }) {
    congestion_.cwnd = options.initial_window;
}

void SimulatedSender::established(int64_t rtt_ns, uint32_t window) {
    round_trip_.measure(rtt_ns, snd_una_, snd_nxt_);
    window_ = window;
    window_used_ns_ = time_.now();
}

void SimulatedSender::write(uint64_t bytes) {
    if (bytes == 0) return;
    restart_after_idle();
    unsent_ += bytes;
    send_new();
}

void SimulatedSender::on_ack(const WireSegment& ack) {
    if (snd_nxt_.before(ack.ack)) return;
    if (ack.has_timestamp) recent_timestamp_ = ack.timestamp;
    const bool anything_outstanding = !flight_.empty();
    const uint64_t losses_before = flight_.losses();
    Heard heard = take_note(ack);
    Retransmit what = Retransmit::no;
    if (heard.advanced) timeouts_in_a_row_ = 0;
    if (flight_.empty() && next_length() > 0) backoff_ = 0;  // the window opened
    if (anything_outstanding || heard.duplicate_reported) {
        rack_.on_round(heard.delivered_when_sent, delivered_);
        judge_tail_loss_probe(ack, heard);
        what = run_state_machine(heard);
        if (heard.timeout_begins_anew) arm_timer(true);
        heard.newly_lost = static_cast<uint32_t>(flight_.losses() - losses_before);
        if (reducing()) {
            reduce(heard);
        } else {
            grow(heard);
        }
    }
    observer_.heard(ack);
    send(what);
}

void SimulatedSender::keep_alive() {
    send_empty(Serial32(snd_nxt_.value - 1));
}

SimulatedSender::Figures SimulatedSender::figures() const {
    return {congestion_.cwnd, congestion_.ssthresh, state_, in_flight(), snd_una_, snd_nxt_, limit()};
}

SendLimit SimulatedSender::limit() const {
    const bool unrepaired = flight_.lost() > flight_.retransmissions_on_way();
    if (in_flight() >= congestion_.cwnd && (unsent_ > 0 || unrepaired)) {
        const bool repairing = state_ == CaState::recovery || state_ == CaState::loss;
        return repairing ? SendLimit::recovery : SendLimit::congestion;
    }
    const auto next = static_cast<uint32_t>(std::min<uint64_t>(unsent_, options_.mss));
    return unsent_ > 0 && window_end().before(snd_nxt_ + next) ? SendLimit::receiver : SendLimit::application;
}

SimulatedSender::Heard SimulatedSender::take_note(const WireSegment& ack) {
    Heard heard;
    heard.una_before = snd_una_;
    heard.highest_before = flight_.highest_sacked_end(snd_una_);
    heard.congestion_echoed = options_.ecn && ack.has(tcp_ece);
    const bool window_changed = ack.window != window_;
    if (!ack.ack.before(snd_una_)) window_ = ack.window;
    heard.echo_before_retransmission =
        options_.timestamps && ack.has_timestamp && first_retransmission_timestamp_ &&
        static_cast<int32_t>(ack.timestamp_echo - *first_retransmission_timestamp_) < 0;

    if (options_.sack) note_duplicate(ack, heard);
    if (options_.sack) note_sacks(ack, heard);
    if (snd_una_.before(ack.ack)) note_acknowledged(ack, heard);
    heard.duplicate_ack = !heard.advanced && !window_changed && !heard.duplicate_reported &&
                          !flight_.empty() && ack.ack == snd_una_ && ack.length == 0;
    delivered_ += heard.delivered;

    // RFC 6298 §3 (Karn): from what was sent once; else from the timestamp, where the acknowledgement moves on.
    if (!heard.rtt_ns && heard.advanced && options_.timestamps && ack.has_timestamp)
        heard.rtt_ns = int64_t{timestamp_now() - ack.timestamp_echo} * millisecond;
    if (heard.rtt_ns) {
        round_trip_.measure(*heard.rtt_ns, snd_una_, snd_nxt_);
        backoff_ = 0;
    }
    if (heard.newest_rtt_ns) strategy_->on_round_trip(congestion_, *heard.newest_rtt_ns, moment());
    return heard;
}

// RFC 2883 §4: the first block lies below the acknowledgement, or inside the second one.
void SimulatedSender::note_duplicate(const WireSegment& ack, Heard& heard) {
    if (ack.sack_blocks == 0) return;
    const ReceivedAck::Block& first = ack.sack[0];
    const bool below = first.begin.before(ack.ack);
    const bool inside_second =
        ack.sack_blocks > 1 && !first.begin.before(ack.sack[1].begin) && !ack.sack[1].end.before(first.end);
    if (!below && !inside_second) return;
    heard.duplicate_reported = true;
    heard.probe_was_duplicate = probe_high_ && *probe_high_ == first.end;
    if (!heard.probe_was_duplicate) rack_.on_duplicate_reported();
    const auto segments =
        (static_cast<uint32_t>(first.begin.distance_to(first.end)) + options_.mss - 1) / options_.mss;
    const bool of_this_episode = can_undo_ && undo_from_.before(first.end);
    if (of_this_episode && unconfirmed_retransmissions_ > 0)
        unconfirmed_retransmissions_ = std::max<int64_t>(0, unconfirmed_retransmissions_ - segments);
}

void SimulatedSender::note_sacks(const WireSegment& ack, Heard& heard) {
    std::optional<Serial32> lowest_late;
    for (uint8_t i = heard.duplicate_reported ? 1 : 0; i < ack.sack_blocks; ++i) {
        for (OutstandingSegment& segment : flight_.segments()) {
            const bool covered =
                !segment.begin.before(ack.sack[i].begin) && !ack.sack[i].end.before(segment.end);
            if (!covered || segment.sacked) continue;
            flight_.mark_sacked(segment);
            heard.sacked_some = true;
            ++heard.delivered;
            note_delivered(segment, heard);
            if (segment.ever_retransmitted()) continue;
            if (!high_seq_.before(segment.end)) heard.original_arrived = true;
            if (segment.begin.before(heard.highest_before) &&
                (!lowest_late || segment.begin.before(*lowest_late)))
                lowest_late = segment.begin;
            const int64_t rtt_ns = time_.now() - segment.first_sent_ns;
            heard.rtt_ns = std::max(heard.rtt_ns.value_or(0), rtt_ns);
            heard.newest_rtt_ns = std::min(heard.newest_rtt_ns.value_or(rtt_ns), rtt_ns);
        }
    }
    if (lowest_late) note_reordering(*lowest_late, heard.highest_before);
    // RFC 6298 §5.3 speaks of new data acknowledged; Linux takes a SACK for that, unless it is about data sent after
    // the oldest was sent last.
    if (heard.rtt_ns && !flight_.empty())
        heard.timeout_begins_anew = *heard.rtt_ns > time_.now() - flight_.segments().front().last_sent_ns;
}

void SimulatedSender::note_acknowledged(const WireSegment& ack, Heard& heard) {
    std::optional<Serial32> lowest_late;
    std::optional<int64_t> oldest_rtt_ns;
    bool retransmitted_among = false;
    uint32_t delivered_now = 0;
    while (!flight_.empty() && !ack.ack.before(flight_.segments().front().end)) {
        const OutstandingSegment& segment = flight_.segments().front();
        ++heard.acked;
        if (segment.ever_retransmitted()) {
            retransmitted_among = true;
        } else if (!segment.sacked) {
            if (!oldest_rtt_ns) oldest_rtt_ns = time_.now() - segment.first_sent_ns;
            heard.newest_rtt_ns = time_.now() - segment.first_sent_ns;
            if (!lowest_late) lowest_late = segment.begin;
            if (!high_seq_.before(segment.end)) heard.original_arrived = true;
        }
        if (!segment.sacked) {
            ++delivered_now;
            note_delivered(segment, heard);
        }
        flight_.remove_front();
    }
    heard.advanced = true;
    heard.timeout_begins_anew = true;
    bytes_acknowledged_ += static_cast<uint32_t>(snd_una_.distance_to(ack.ack));
    snd_una_ = ack.ack;
    if (!retransmitted_among && oldest_rtt_ns) heard.rtt_ns = oldest_rtt_ns;
    if (retransmitted_among) heard.newest_rtt_ns.reset();

    if (options_.sack) {
        heard.delivered += delivered_now;
        if (lowest_late) note_reordering(*lowest_late, heard.highest_before);
        return;
    }
    // Without SACK, all but the first of them had shown themselves in duplicate acknowledgements (RFC 6582).
    if (retransmitted_among) heard.original_arrived = false;
    if (heard.acked > 0) {
        heard.delivered +=
            std::max<uint32_t>(heard.acked > duplicate_acks_ ? heard.acked - duplicate_acks_ : 0, 1);
        duplicate_acks_ -= std::min(duplicate_acks_, heard.acked - 1);
        limit_duplicates(heard.acked);
    }
}

void SimulatedSender::note_delivered(const OutstandingSegment& segment, Heard& heard) {
    if (!options_.sack) return;
    rack_.on_delivered(segment, time_.now(), round_trip_.shortest_ns());
    heard.delivered_when_sent = std::max(heard.delivered_when_sent, segment.delivered_when_sent);
}

void SimulatedSender::note_reordering(Serial32 seq, Serial32 highest_before) {
    if (!seq.before(highest_before)) return;
    const auto bytes = static_cast<uint32_t>(seq.distance_to(highest_before));
    rack_.on_reordering((bytes + options_.mss - 1) / options_.mss);
}

// At least the first segment is missing, so that not all can have caused a duplicate (tcp_limit_reno_sacked).
bool SimulatedSender::limit_duplicates(uint32_t acked) {
    const uint32_t missing = std::min(std::max(flight_.lost(), 1u), flight_.size());
    if (duplicate_acks_ + missing <= flight_.size()) return false;
    duplicate_acks_ = flight_.size() - missing;
    rack_.on_impossible_duplicates(flight_.size() + acked);
    return true;
}

void SimulatedSender::count_duplicate_ack(Heard& heard) {
    if (options_.sack || !heard.duplicate_ack) return;
    ++duplicate_acks_;
    if (limit_duplicates(0)) return;
    ++heard.delivered;
    ++delivered_;
}

// RFC 8985 §7.4: a probe that repeated the last segment repaired a loss unless a D-SACK, or an acknowledgement twice
// the same, says that both copies arrived; a loss repaired wants the reduction that any loss does.
void SimulatedSender::judge_tail_loss_probe(const WireSegment& ack, const Heard& heard) {
    if (!probe_high_ || ack.ack.before(*probe_high_)) return;
    const bool beyond = probe_high_->before(ack.ack);
    const bool twice_the_same = !beyond && heard.duplicate_ack && !heard.sacked_some;
    if (!probe_repeats_ || heard.probe_was_duplicate || twice_the_same) {
        probe_high_.reset();
    } else if (beyond) {
        begin_reduction();
        enter(CaState::cwr);
        end_reduction();
        keep_open();
    }
}

SimulatedSender::Retransmit SimulatedSender::run_state_machine(Heard& heard) {
    const bool remarkable =
        heard.sacked_some || heard.congestion_echoed || heard.duplicate_reported || heard.duplicate_ack;
    if (state_ == CaState::open) {
        if (!remarkable) return Retransmit::no;
        first_retransmission_timestamp_.reset();
    } else if (!snd_una_.before(high_seq_) && !ends_episode(heard)) {
        return Retransmit::no;
    }
    if (state_ == CaState::recovery) return run_recovery(heard);
    if (state_ == CaState::loss) return run_loss(heard);
    return run_ordinary(heard);
}

// All that was outstanding when CWR or Recovery began is acknowledged. False: but the state is held.
bool SimulatedSender::ends_episode(const Heard& heard) {
    if (state_ == CaState::cwr && snd_una_ != high_seq_) {
        // Linux holds CWR until something above high_seq is acknowledged, so that CWR reaches the receiver first.
        end_reduction();
        enter(CaState::open);
    } else if (state_ == CaState::recovery) {
        if (!options_.sack) duplicate_acks_ = 0;
        if (may_undo(heard)) {
            undo();
        } else {
            rack_.on_recovered();
        }
        if (held_for_want_of_sack()) return false;
        enter(CaState::open);
        end_reduction();
    }
    return true;
}

// RFC 6582 §4.1's trouble: without SACK, duplicate acknowledgements of needless retransmissions look like a new loss,
// so Recovery is held until something above high_seq is acknowledged.
bool SimulatedSender::held_for_want_of_sack() const {
    return !options_.sack && snd_una_ == high_seq_;
}

SimulatedSender::Retransmit SimulatedSender::run_recovery(Heard& heard) {
    if (!heard.advanced) {
        count_duplicate_ack(heard);
    } else if (can_undo_ && heard.echo_before_retransmission) {
        // RFC 3522: what was held for lost arrived late.
        note_reordering(heard.una_before, snd_una_);
        if (flight_.retransmissions_on_way() > 0) return Retransmit::no;
        undo();
        flight_.hold_none_for_lost();
        keep_open();
        return Retransmit::no;
    }
    if (undo_if_all_dsacked()) {
        if (heard.congestion_echoed) enter_cwr();
        if (state_ != CaState::cwr) keep_open();
    }
    detect_losses(heard);
    if (state_ != CaState::recovery) {
        if (flight_.lost() == 0) return Retransmit::no;
        enter_recovery();
    }
    return Retransmit::lost;
}

// RFC 5682 §3.1, the SACK-enhanced F-RTO, and what follows a timeout that was none.
SimulatedSender::Retransmit SimulatedSender::run_loss(Heard& heard) {
    Retransmit what = Retransmit::lost;
    const bool all_acknowledged = !snd_una_.before(high_seq_);
    const bool spurious =
        (heard.advanced && may_undo(heard)) || (spurious_timeout_possible_ && heard.original_arrived);
    if (spurious) {
        const bool by_frto = !(heard.advanced && may_undo(heard));
        flight_.hold_none_for_lost();
        undo();
        what = Retransmit::no;
        if (!held_for_want_of_sack() && (by_frto || options_.sack)) enter(CaState::open);
    } else {
        if (spurious_timeout_possible_) {
            if (high_seq_.before(snd_nxt_)) {
                if (heard.sacked_some || heard.duplicate_ack) spurious_timeout_possible_ = false;
            } else if (heard.advanced && !all_acknowledged) {
                high_seq_ = snd_nxt_;
                // Step 2.b: send new data instead of retransmitting, if there is any that may go.
                if (next_length() > 0) return Retransmit::new_data_only;
                spurious_timeout_possible_ = false;
            }
        }
        if (all_acknowledged) {
            if (may_undo(heard)) {
                undo();
            } else {
                rack_.on_recovered();
            }
            what = Retransmit::no;
            if (!held_for_want_of_sack()) enter(CaState::open);
        } else if (!options_.sack) {
            if (high_seq_.before(snd_nxt_) && heard.duplicate_ack) {
                count_duplicate_ack(heard);
            } else if (heard.advanced) {
                duplicate_acks_ = 0;
            }
        }
    }
    const uint32_t on_way_before = flight_.retransmissions_on_way();
    detect_losses(heard);
    const bool retransmission_lost = flight_.retransmissions_on_way() < on_way_before;
    if (state_ == CaState::open || retransmission_lost) return run_ordinary(heard);
    return what;
}

// Open, Disorder and CWR.
SimulatedSender::Retransmit SimulatedSender::run_ordinary(Heard& heard) {
    if (!options_.sack && heard.advanced) duplicate_acks_ = 0;
    count_duplicate_ack(heard);
    if (state_ == CaState::open || state_ == CaState::disorder) undo_if_all_dsacked();
    detect_losses(heard);
    if (flight_.lost() > 0) {
        enter_recovery();
        return Retransmit::lost;
    }
    if (!flight_.retransmission_in_doubt()) first_retransmission_timestamp_.reset();
    if (heard.congestion_echoed) enter_cwr();
    if (state_ != CaState::cwr) keep_open();
    return Retransmit::no;
}

void SimulatedSender::detect_losses(Heard& heard) {
    if (flight_.empty()) return;
    if (!options_.sack) {
        // RFC 6582: the third duplicate, and in Recovery each partial acknowledgement, reports the first segment lost.
        const bool third = state_ != CaState::recovery && state_ != CaState::loss &&
                           duplicate_acks_ >= rack_.reordering_segments();
        const bool partial = state_ == CaState::recovery && heard.advanced;
        if ((third || partial) && !flight_.segments().front().lost)
            flight_.mark_lost(flight_.segments().front());
        return;
    }
    if (heard.delivered == 0) return;
    const bool recovering = state_ == CaState::recovery || state_ == CaState::loss;
    const int64_t window_ns = rack_.reordering_window_ns(round_trip_, recovering, flight_.sacked());
    const int64_t wait_ns = rack_.detect(flight_, time_.now(), window_ns);
    if (wait_ns > 0) {
        alarm_ = Alarm::reordering;
        timer_.set(time_.now() + wait_ns + timer_slack_ns);
        heard.timeout_begins_anew = false;
    }
}

void SimulatedSender::keep_open() {
    const bool doubtful = sacked() > 0 || flight_.lost() > 0 || flight_.retransmission_in_doubt();
    const CaState wanted = doubtful ? CaState::disorder : CaState::open;
    if (state_ == wanted) return;
    enter(wanted);
    high_seq_ = snd_nxt_;
}

void SimulatedSender::enter(CaState state) {
    if (state == state_) return;
    observer_.changed(state_, state);
    state_ = state;
}

void SimulatedSender::begin_reduction() {
    high_seq_ = snd_nxt_;
    probe_high_.reset();
    window_before_ = congestion_.cwnd;
    before_reduction_.cwnd = congestion_.cwnd;
    prr_delivered_ = prr_out_ = 0;
    congestion_.ssthresh = strategy_->reduced(congestion_.cwnd);
    announce_reduction_ = options_.ecn;
}

void SimulatedSender::end_reduction() {
    if (state_ == CaState::cwr || can_undo_) congestion_.cwnd = congestion_.ssthresh;
    window_used_ns_ = time_.now();
}

// RFC 6937 §3.1, in segments. Below ssthresh, what is delivered may be sent again, and one more where an
// acknowledgement moves on and reports no further loss.
void SimulatedSender::reduce(const Heard& heard) {
    if (heard.delivered == 0 || window_before_ == 0) return;
    prr_delivered_ += heard.delivered;
    const int64_t pipe = in_flight();
    const int64_t room = int64_t{congestion_.ssthresh} - pipe;
    int64_t may_send = 0;
    if (room < 0) {
        const uint64_t share = uint64_t{congestion_.ssthresh} * prr_delivered_;
        may_send = static_cast<int64_t>((share + window_before_ - 1) / window_before_) - prr_out_;
    } else {
        may_send = std::max<int64_t>(int64_t{prr_delivered_} - prr_out_, heard.delivered);
        if (heard.advanced && heard.newly_lost == 0) ++may_send;
        may_send = std::min(may_send, room);
    }
    // The first retransmission goes out whatever the arithmetic says.
    may_send = std::max<int64_t>(may_send, prr_out_ == 0 ? 1 : 0);
    congestion_.cwnd = static_cast<uint32_t>(pipe + may_send);
}

void SimulatedSender::grow(const Heard& heard) {
    const bool may_grow =
        rack_.reordering_segments() > 3 ? heard.advanced || heard.sacked_some : heard.advanced;
    if (!may_grow || heard.delivered == 0) return;
    const bool in_use =
        window_limited_ || (congestion_.in_slow_start() && congestion_.cwnd < 2 * flight_peak_);
    if (in_use) strategy_->grow(congestion_, heard.delivered, moment());
}

void SimulatedSender::enter_cwr() {
    if (state_ != CaState::open && state_ != CaState::disorder) return;
    can_undo_ = false;
    before_reduction_ = {0, 0};
    begin_reduction();
    before_reduction_.ssthresh = 0;
    enter(CaState::cwr);
}

void SimulatedSender::enter_recovery() {
    const bool reduced_already = reducing();
    before_reduction_.ssthresh = 0;
    can_undo_ = true;
    undo_from_ = snd_una_;
    unconfirmed_retransmissions_ = flight_.retransmissions_on_way();
    if (probe_high_ && probe_repeats_) ++unconfirmed_retransmissions_;
    if (unconfirmed_retransmissions_ == 0) unconfirmed_retransmissions_ = -1;
    if (!reduced_already) {
        const uint32_t current =
            congestion_.ssthresh == infinite_ssthresh
                ? infinite_ssthresh
                : std::max(congestion_.ssthresh, congestion_.cwnd / 2 + congestion_.cwnd / 4);
        before_reduction_.ssthresh = current;
        begin_reduction();
    }
    enter(CaState::recovery);
}

bool SimulatedSender::may_undo(const Heard& heard) const {
    return can_undo_ && (unconfirmed_retransmissions_ == 0 || heard.echo_before_retransmission);
}

bool SimulatedSender::undo_if_all_dsacked() {
    if (!can_undo_ || unconfirmed_retransmissions_ != 0) return false;
    undo();
    return true;
}

void SimulatedSender::undo() {
    if (before_reduction_.ssthresh > 0) {
        congestion_.cwnd = std::max(congestion_.cwnd, before_reduction_.cwnd);
        congestion_.ssthresh = std::max(congestion_.ssthresh, before_reduction_.ssthresh);
        announce_reduction_ = false;
    }
    window_used_ns_ = time_.now();
    can_undo_ = false;
}

uint32_t SimulatedSender::in_flight() const {
    return flight_.size() - sacked() - flight_.lost() + flight_.retransmissions_on_way();
}

void SimulatedSender::send(Retransmit what) {
    if (what == Retransmit::new_data_only) {
        send_new();
        if (high_seq_.before(snd_nxt_)) return;
        spurious_timeout_possible_ = false;
        what = Retransmit::lost;
    }
    if (what == Retransmit::lost) retransmit_lost();
    send_new();
}

void SimulatedSender::retransmit_lost() {
    bool timeout_begins_anew = false;
    for (size_t i = 0; i < flight_.size(); ++i) {
        if (in_flight() >= congestion_.cwnd) break;
        OutstandingSegment& segment = flight_.segments()[i];
        if (!segment.lost || segment.retransmission_on_way) continue;
        if (reducing()) ++prr_out_;
        retransmit(segment);
        if (i == 0 && alarm_ != Alarm::reordering) timeout_begins_anew = true;
    }
    if (timeout_begins_anew) rearm_timeout();
}

// The bookkeeping of a segment held for lost and sent again.
void SimulatedSender::retransmit(OutstandingSegment& segment) {
    flight_.mark_retransmitted(segment);
    if (!first_retransmission_timestamp_) first_retransmission_timestamp_ = timestamp_now();
    unconfirmed_retransmissions_ = std::max<int64_t>(unconfirmed_retransmissions_, 0) + 1;
    transmit(segment);
}

void SimulatedSender::transmit(OutstandingSegment& segment) {
    WireSegment wire;
    wire.seq = segment.begin;
    wire.ack = peers_next;
    wire.length = static_cast<uint32_t>(segment.begin.distance_to(segment.end));
    wire.ip_id = ++ip_id_;
    wire.has_timestamp = options_.timestamps;
    wire.timestamp = timestamp_now();
    wire.timestamp_echo = recent_timestamp_;
    if (segment.pushed) wire.flags |= tcp_psh;
    if (++segment.transmissions > 1) {
        ++retransmissions_;
    } else {
        segment.first_sent_ns = time_.now();
        wire.ecn_capable = options_.ecn;  // RFC 3168 §6.1.5: never on a retransmission
        if (announce_reduction_) wire.flags |= tcp_cwr;
        announce_reduction_ = false;
    }
    segment.last_sent_ns = last_data_sent_ns_ = time_.now();
    segment.delivered_when_sent = delivered_;
    observer_.sent(wire);
}

// Linux pushes what it has then (tcp_sendmsg_locked, wait_for_space).
bool SimulatedSender::waits_for_buffer() const {
    const uint32_t outstanding = static_cast<uint32_t>(snd_una_.distance_to(snd_nxt_));
    return options_.send_buffer_bytes != unknown<uint32_t> && unsent_ > 0 &&
           outstanding + options_.mss > options_.send_buffer_bytes;
}

// Bytes of the next new segment that the application and the receiver's window allow; 0: none.
uint32_t SimulatedSender::next_length() const {
    const uint32_t outstanding = static_cast<uint32_t>(snd_una_.distance_to(snd_nxt_));
    uint64_t available = unsent_;
    if (options_.send_buffer_bytes != unknown<uint32_t>) {
        available = std::min<uint64_t>(
            available, options_.send_buffer_bytes - std::min(options_.send_buffer_bytes, outstanding));
    }
    const auto length = static_cast<uint32_t>(std::min<uint64_t>(available, options_.mss));
    if (length < options_.mss && unsent_ > length)
        return 0;  // the host's buffer wants room for a whole segment
    return window_end().before(snd_nxt_ + length) ? 0 : length;
}

bool SimulatedSender::send_one_new() {
    const uint32_t length = next_length();
    if (length == 0) return false;
    if (in_flight() == 0 && time_.now() > last_data_sent_ns_)
        strategy_->on_send_after_idle(time_.now() - last_data_sent_ns_, moment());
    const bool was_empty = flight_.empty();
    OutstandingSegment& segment = flight_.add(snd_nxt_, length);
    snd_nxt_ = segment.end;
    unsent_ -= length;
    segment.pushed = unsent_ == 0 || waits_for_buffer();
    if (reducing()) ++prr_out_;
    transmit(segment);
    if (was_empty || alarm_ == Alarm::tail_loss_probe) rearm_timeout();
    return true;
}

void SimulatedSender::send_new() {
    bool sent = false;
    const bool something_to_send = unsent_ > 0;
    while (in_flight() < congestion_.cwnd && send_one_new()) sent = true;
    if (sent) arm_timer(false);
    const bool full = in_flight() >= congestion_.cwnd;
    if (something_to_send && (sent || full)) note_whether_limited();

    if (flight_.empty() && unsent_ > 0 && alarm_ == Alarm::none) {
        alarm_ = Alarm::window_probe;
        timer_.set(time_.now() + std::max(round_trip_.timeout_ns() << backoff_, least_timeout_ns));
    }
}

void SimulatedSender::note_whether_limited() {
    const bool full = in_flight() >= congestion_.cwnd;
    if (!snd_una_.before(usage_round_end_) || full || (!window_limited_ && flight_.size() > flight_peak_)) {
        window_limited_ = full;
        flight_peak_ = flight_.size();
        usage_round_end_ = snd_nxt_;
    }
    const bool in_use =
        window_limited_ || (congestion_.in_slow_start() && congestion_.cwnd < 2 * flight_peak_);
    if (in_use) {
        peak_since_used_ = 0;
        window_used_ns_ = time_.now();
        return;
    }
    // RFC 2861 §3.2: a window not used in full for a timeout's time comes half-way down to what was used.
    peak_since_used_ = std::max(peak_since_used_, flight_.size());
    const bool buffer_is_full = options_.send_buffer_bytes != unknown<uint32_t> && unsent_ > 0;
    if (!options_.slow_start_after_idle) return;
    if (time_.now() - window_used_ns_ < round_trip_.timeout_ns() << backoff_) return;
    const uint32_t used = std::max(peak_since_used_, options_.initial_window);
    if (state_ == CaState::open && !buffer_is_full && used < congestion_.cwnd) {
        if (congestion_.ssthresh != infinite_ssthresh) {
            congestion_.ssthresh =
                std::max(congestion_.ssthresh, congestion_.cwnd / 2 + congestion_.cwnd / 4);
        }
        congestion_.cwnd = (congestion_.cwnd + used) / 2;
    }
    peak_since_used_ = 0;
    window_used_ns_ = time_.now();
}

// RFC 2861 §3.1: the window halves for every timeout's time of silence, though not below the restart window.
void SimulatedSender::restart_after_idle() {
    if (!flight_.empty() || !options_.slow_start_after_idle) return;
    int64_t idle_ns = time_.now() - last_data_sent_ns_;
    const int64_t timeout_ns = round_trip_.timeout_ns() << backoff_;
    if (idle_ns <= timeout_ns || last_data_sent_ns_ == 0) return;
    if (congestion_.ssthresh != infinite_ssthresh && !reducing())
        congestion_.ssthresh = std::max(congestion_.ssthresh, congestion_.cwnd / 2 + congestion_.cwnd / 4);
    const uint32_t least = std::min(options_.initial_window, congestion_.cwnd);
    while ((idle_ns -= timeout_ns) > 0 && congestion_.cwnd > least) congestion_.cwnd /= 2;
    congestion_.cwnd = std::max(congestion_.cwnd, least);
    window_used_ns_ = time_.now();
    peak_since_used_ = 0;
}

void SimulatedSender::send_empty(Serial32 seq) {
    WireSegment wire;
    wire.seq = seq;
    wire.ack = peers_next;
    wire.ip_id = ++ip_id_;
    wire.has_timestamp = options_.timestamps;
    wire.timestamp = timestamp_now();
    wire.timestamp_echo = recent_timestamp_;
    observer_.sent(wire);
}

// `advancing`: an acknowledgement moved on, and the timeout begins anew; else new data were sent.
void SimulatedSender::arm_timer(bool advancing) {
    const bool probe = options_.tail_loss_probes && options_.sack && !flight_.empty() &&
                       (state_ == CaState::open || state_ == CaState::cwr);
    if (!probe) {
        if (advancing) rearm_timeout();
        return;
    }
    // RFC 8985 §7.2; a lone segment may wait for a delayed acknowledgement.
    const int64_t timeout_ns = round_trip_.timeout_ns() << backoff_;
    const int64_t probe_ns =
        2 * round_trip_.smoothed_ns() + (flight_.size() == 1 ? least_timeout_ns : timer_slack_ns);
    const int64_t left_ns =
        advancing ? timeout_ns : flight_.segments().front().last_sent_ns + timeout_ns - time_.now();
    alarm_ = Alarm::tail_loss_probe;
    timer_.set(time_.now() + (left_ns > 0 ? std::min(probe_ns, left_ns) : probe_ns));
}

void SimulatedSender::rearm_timeout() {
    if (flight_.empty()) {
        timer_.stop();
        alarm_ = Alarm::none;
        return;
    }
    const int64_t timeout_ns = std::min(round_trip_.timeout_ns() << backoff_, longest_timeout_ns);
    const bool counts_from_sending = alarm_ == Alarm::tail_loss_probe || alarm_ == Alarm::reordering;
    const int64_t from_ns = counts_from_sending ? flight_.segments().front().last_sent_ns : time_.now();
    alarm_ = Alarm::timeout;
    timer_.set(std::max(from_ns + timeout_ns, time_.now() + microsecond));
}

void SimulatedSender::on_timer() {
    const Alarm alarm = alarm_;
    switch (alarm) {
        case Alarm::none:
            return;
        case Alarm::timeout:
            return on_timeout();
        case Alarm::reordering:
            return on_reordering_timer();
        case Alarm::tail_loss_probe:
            return send_probe();
        case Alarm::window_probe:
            alarm_ = Alarm::none;
            if (!flight_.empty() || unsent_ == 0) return;
            send_empty(Serial32(snd_una_.value - 1));
            ++backoff_;
            alarm_ = Alarm::window_probe;
            timer_.set(time_.now() + std::max(round_trip_.timeout_ns() << backoff_, least_timeout_ns));
    }
}

void SimulatedSender::on_timeout() {
    ++timeouts_;
    const bool new_episode = state_ != CaState::recovery && state_ != CaState::loss;
    const bool first_of_loss = state_ == CaState::open || state_ == CaState::disorder ||
                               !snd_una_.before(high_seq_) ||
                               (state_ == CaState::loss && timeouts_in_a_row_ == 0);
    alarm_ = Alarm::none;
    OutstandingSegment& head = flight_.segments().front();
    // RFC 8985 §6.3: what was sent within the last round trip need not be lost as well.
    for (OutstandingSegment& segment : flight_.segments()) {
        if (segment.sacked) continue;
        const bool recent = &segment != &head && rack_.time_left_ns(segment, time_.now(), 0) > 0;
        if (!recent) flight_.mark_lost(segment);
    }
    if (first_of_loss) {
        const bool reduced_now = reducing();
        before_reduction_.cwnd = congestion_.cwnd;
        before_reduction_.ssthresh =
            reduced_now || congestion_.ssthresh == infinite_ssthresh
                ? congestion_.ssthresh
                : std::max(congestion_.ssthresh, congestion_.cwnd / 2 + congestion_.cwnd / 4);
        congestion_.ssthresh = strategy_->reduced(congestion_.cwnd);
        can_undo_ = true;
        undo_from_ = snd_una_;
        unconfirmed_retransmissions_ = flight_.retransmissions_on_way();
        if (probe_high_ && probe_repeats_) ++unconfirmed_retransmissions_;
        if (unconfirmed_retransmissions_ == 0) unconfirmed_retransmissions_ = -1;
    }
    strategy_->on_timeout();
    duplicate_acks_ = 0;
    congestion_.cwnd = in_flight() + 1;
    window_used_ns_ = time_.now();
    if (state_ <= CaState::disorder && flight_.sacked() >= rack_.reordering_segments())
        rack_.forget_reordering_degree();
    enter(CaState::loss);
    high_seq_ = snd_nxt_;
    announce_reduction_ = options_.ecn;
    spurious_timeout_possible_ = new_episode || timeouts_in_a_row_ > 0;
    probe_high_.reset();
    ++backoff_;
    ++timeouts_in_a_row_;
    retransmit(head);
    rearm_timeout();
}

void SimulatedSender::on_reordering_timer() {
    alarm_ = Alarm::none;
    const uint64_t losses_before = flight_.losses();
    const uint32_t flight_before = in_flight();
    const bool recovering = state_ == CaState::recovery || state_ == CaState::loss;
    const int64_t window_ns = rack_.reordering_window_ns(round_trip_, recovering, flight_.sacked());
    rack_.detect(flight_, time_.now(), window_ns);
    if (flight_before != in_flight()) {
        if (state_ != CaState::recovery) {
            enter_recovery();
            // Nothing was delivered now, but the first retransmission may go.
            Heard heard;
            heard.delivered = 1;
            heard.newly_lost = static_cast<uint32_t>(flight_.losses() - losses_before);
            reduce(heard);
        }
        retransmit_lost();
    }
    if (alarm_ == Alarm::none) rearm_timeout();
}

// RFC 8985 §7.3: new data if there are any, else the last segment again.
void SimulatedSender::send_probe() {
    alarm_ = Alarm::none;
    if (flight_.empty()) return;
    if (!probe_high_) {
        ++probes_;
        probe_repeats_ = !send_one_new();
        if (probe_repeats_) transmit(flight_.segments().back());
        probe_high_ = snd_nxt_;
        alarm_ = Alarm::none;  // the timeout counts anew from the probe
    } else {
        alarm_ = Alarm::tail_loss_probe;  // … or goes on from when the oldest segment was sent
    }
    rearm_timeout();
}

}  // namespace sanscope::simulated
