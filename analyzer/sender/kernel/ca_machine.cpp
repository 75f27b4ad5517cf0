// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/kernel/ca_machine.h"

#include <algorithm>
#include <utility>

#include "analyzer/net/decoded_packet.h"

namespace sanscope {
namespace {

// Farther than this no window reaches (RFC 7323 §2.3).
constexpr int32_t beyond_any_window = 1 << 30;
// No path has a smaller one (RFC 879 has 536 for default); a header may claim any.
constexpr uint32_t least_mss = 64;
// A larger hole than this was not lost by a sniffer: the capture paused, or the packet is not of this connection.
constexpr int32_t longest_hole = 1 << 24;
constexpr uint32_t max_reordering = 300;            // net.ipv4.tcp_max_reordering
constexpr uint32_t default_reordering = 3;          // net.ipv4.tcp_reordering
constexpr uint32_t rack_persist = 16;               // TCP_RACK_RECOVERY_THRESH
constexpr int64_t min_rtt_window_us = 300'000'000;  // net.ipv4.tcp_min_rtt_wlen
// What is remembered of the newest retransmissions, for D-SACKs that come after the bytes were acknowledged.
constexpr size_t max_recent = 64;
// More segments than this are not followed: more than any window in use holds.
constexpr size_t max_outstanding = size_t{1} << 17;

bool sent_after(int64_t one_us, int64_t other_us, Serial32 one_end, Serial32 other_end) {
    return one_us > other_us || (one_us == other_us && one_end.after(other_end));
}

}  // namespace

CaMachine::CaMachine(SenderLog& log, SendBudget& budget, const SenderOptions& options)
    : log_(log), queue_(budget), timestamps_(options.timestamps) {
    state_.sack = options.sack;
    if (options.mss != 0) state_.mss = std::max(options.mss, least_mss);
}

// Transmission.

void CaMachine::begin(Serial32 seq) {
    begun_ = true;
    state_.snd_una = seq;
    state_.snd_nxt = seq;
    state_.high_seq = seq;
    window_seq_ = Serial32(0);
}

// Packets of the two directions may stand a little out of order. A clock that was stepped back is another thing: from then
// on time goes on from where it was, and what passed at the step is taken to be the shortest round trip.
void CaMachine::note_time(int64_t time_ns) {
    constexpr int64_t step_us = 500'000;
    const int64_t us = time_ns / 1000 + stepped_back_us_;
    if (us < state_.now_us - step_us) [[unlikely]] {
        const int64_t passed_us = state_.min_rtt_us == SenderState::no_min_rtt ? 0 : state_.min_rtt_us;
        stepped_back_us_ += state_.now_us + passed_us - us;
        state_.now_us += passed_us;
        return;
    }
    state_.now_us = std::max(state_.now_us, us);
}

void CaMachine::on_sent(const SentSegment& segment) {
    note_time(segment.time_ns);
    packet_ = segment.packet;
    time_ns_ = segment.time_ns;
    if ((segment.flags & tcp_rst) != 0) return;
    if ((segment.flags & tcp_syn) != 0) {
        send_syn(segment);
        return;
    }
    const uint32_t length = segment.length + ((segment.flags & tcp_fin) != 0 ? 1 : 0);
    if (!begun_) {
        if (length == 0) return;
        begin(segment.seq);
        windows_.each([&](auto& window) { window.start_late(state_); });
    }
    const Serial32 begin = segment.seq;
    const Serial32 end = begin + length;
    const int32_t ahead = state_.snd_nxt.distance_to(begin);
    if (ahead > beyond_any_window || ahead < -beyond_any_window) {
        // The capture paused for long: this is of the connection, and what is outstanding is not known.
        if (length == 0) return;
        restart(begin);
    }
    if (segment.keeps_alive) {
        const Serial32 probed = begin.before(state_.snd_una) ? state_.snd_una : begin;
        note_loss(segment, begin, length,
                  !state_.snd_wnd_known || state_.wnd_end.after(probed) ? LossKind::keep_alive
                                                                        : LossKind::zero_window_probe,
                  nullptr);
        return;
    }
    if (length == 0) return;
    if (segment.unseen) {
        // What an acknowledgement has told of before stands in the queue.
        if (end.after(state_.snd_nxt)) {
            const Serial32 from = begin.before(state_.snd_nxt) ? state_.snd_nxt : begin;
            add_missed(from);
            send_new(segment, from, static_cast<uint32_t>(from.distance_to(end)));
        }
        return;
    }
    // Some probe a window that is shut with the byte behind it, the same one again and again.
    if (length == 1 && segment.sent == Sent::again && state_.snd_wnd_known && !begin.before(state_.wnd_end)) {
        note_loss(segment, begin, length, LossKind::zero_window_probe, nullptr);
        return;
    }
    if (segment.sent == Sent::again) {
        // Known to have been sent before, though the replay has not heard of it.
        if (!begin.before(state_.snd_nxt)) add_unseen(state_.snd_nxt, end);
        resend_known(segment, begin, end);
        return;
    }
    uint64_t late_row = 0;
    if (segment.overtaken) {
        late_row = log_.loss(LossKind::out_of_order, segment, segment.time_ns, begin, length, 0,
                             segment.overtaken_ns);
    }
    if (begin.before(state_.snd_nxt)) fill_in(segment, begin, end, late_row);
    if (end.after(state_.snd_nxt)) {
        const Serial32 from = begin.before(state_.snd_nxt) ? state_.snd_nxt : begin;
        add_missed(from);
        send_new(segment, from, static_cast<uint32_t>(from.distance_to(end)));
        if (late_row != 0 && !queue_.empty()) queue_[queue_.end() - 1].late = late_row;
    }
}

void CaMachine::send_syn(const SentSegment& segment) {
    if (!begun_) {
        begin(segment.seq);
        handshake_ = true;
        initial_seq_ = segment.seq;
        initial_seq_known_ = true;
        add_segment(segment, segment.seq, segment.seq + 1, false);
        ++syn_transmissions_;
        return;
    }
    if (!initial_seq_known_ || segment.seq != initial_seq_) return;
    ++syn_transmissions_;
    // tcp_retransmit_timer(), or tcp_rtx_synack(): both are counted as segments sent again.
    if (segment.sent == Sent::again) {
        const bool outstanding = handshake_ && !queue_.empty();
        note_loss(segment, segment.seq, 1, LossKind::rto, outstanding ? &queue_[queue_.first()] : nullptr);
    }
}

// A hole before what is sent now: of the capture, or of what the tap saw.
void CaMachine::add_missed(Serial32 seq) {
    if (state_.snd_nxt.distance_to(seq) > longest_hole) restart(seq);
    if (seq.after(state_.snd_nxt)) add_unseen(state_.snd_nxt, seq);
}

// Brings bytes for the first time that the replay holds for sent already: it had heard of them by an acknowledgement, or
// by what was sent after them.
void CaMachine::fill_in(const SentSegment& segment, Serial32 begin, Serial32 end, uint64_t late_row) {
    for (Index i = queue_.find(begin); i != queue_.end() && queue_[i].begin.before(end); ++i) {
        Segment& filled = queue_[i];
        if (!filled.unseen) continue;
        if (late_row != 0) filled.late = late_row;
        if (filled.end.after(end)) continue;  // its rest is to come
        filled.unseen = false;
        filled.first_packet = segment.packet;
        if (!filled.ever_retransmitted) filled.timestamp = segment.timestamp;
    }
    // Acknowledged already: what the receiver told of it is known.
    if (late_row != 0 && !end.after(state_.snd_una)) {
        const Reordering by = segment.asked ? Reordering::path : Reordering::tap;
        log_.reordered(late_row, by);
        log_.summary().on_reordered(by);
    }
}

void CaMachine::resend_known(const SentSegment& segment, Serial32 begin, Serial32 end) {
    if (segment.acknowledged_before) log_.summary().on_resent_after_ack();
    if (!end.after(state_.snd_nxt)) {
        resend(segment);
        return;
    }
    const auto known = static_cast<uint32_t>(begin.distance_to(state_.snd_nxt));
    SentSegment repeated = segment;
    repeated.length = known;
    repeated.flags &= static_cast<uint16_t>(~tcp_fin);
    resend(repeated);
    send_new(segment, state_.snd_nxt, static_cast<uint32_t>(state_.snd_nxt.distance_to(end)));
}

void CaMachine::send_new(const SentSegment& segment, Serial32 begin, uint32_t length) {
    if (state_.packets_out == 0 && state_.last_sent_us != 0) {
        const int64_t idle_us = state_.now_us - state_.last_sent_us;
        if (idle_us > state_.rto_us) {
            windows_.each([&](auto& window) { window.restart_after_idle(state_, idle_us); });
        }
    }
    note_app_limited(length);
    if (state_.in_flight() == 0) {
        windows_.each([&](auto& window) { window.on_start_after_idle(state_); });
    }
    // A tail loss probe may be new data, whatever cwnd says (RFC 8985 §7.3).
    const bool may_probe = more_waiting_ && state_.sack && !probing_ && !queue_.empty() && rtt_.measured() &&
                           (state_.ca_state == CaState::open || state_.ca_state == CaState::cwr);
    const bool probe = may_probe && state_.now_us - last_probe_or_progress_us_ >= 2 * rtt_.srtt_us();
    if (length > 0 && state_.snd_wnd == 0 && begun_ && length == 1 && max_window_ > 0) {
        note_loss(segment, begin, length, LossKind::zero_window_probe, nullptr);
    }
    const uint32_t before = state_.packets_out;
    add_segment(segment, begin, begin + length, false);
    if (state_.in_cwnd_reduction()) state_.prr_out += state_.packets_out - before;
    if (probe) {
        probing_ = true;
        probe_resent_ = false;
        probe_end_ = state_.snd_nxt;
    }
    windows_.each([&](auto& window) { window.on_sent(state_, probe); });
    window_was_full_ = state_.in_flight() * 8 >= windows_.bbr.cwnd() * 7;
    last_probe_or_progress_us_ = state_.now_us;
    more_waiting_ = (segment.flags & (tcp_psh | tcp_fin)) == 0;
    note_transmission(segment);
}

// That the application had no more although cwnd had room (tcp_rate_check_app_limited) is told by a segment that was not
// full, since what is written before it is sent fills it up; and by data that come later than pacing explains, although the
// last that were sent were all there was. Matters to BBR alone.
void CaMachine::note_app_limited(uint32_t length) {
    constexpr int64_t one_burst_us = 60;
    constexpr int64_t timer_slack_us = 600;
    const int64_t pause_us = state_.now_us - state_.last_sent_us;
    // Later on, what else delays a burst must not be taken for the application.
    const int64_t least_us = windows_.bbr.starting_up() ? 0 : state_.srtt_us / 4;
    const bool late = pause_us > std::max(timer_slack_us, least_us) &&
                      pause_us > 2 * windows_.bbr.pacing_gap_us(burst_bytes_) + timer_slack_us;
    if (pause_us > one_burst_us) burst_bytes_ = 0;
    burst_bytes_ += length;
    const bool ran_dry = last_was_short_;
    last_was_short_ = length != state_.mss && length % state_.mss != 0;
    if (state_.last_sent_us == 0 || state_.lost_out > state_.retrans_out) return;
    if (!ran_dry && (!late || more_waiting_ || window_was_full_)) return;
    if (state_.in_flight() >= windows_.bbr.cwnd()) return;
    state_.app_limited = std::max(1u, state_.delivered + state_.in_flight());
}

void CaMachine::add_unseen(Serial32 begin, Serial32 end) {
    SentSegment unseen;
    unseen.time_ns = time_ns_;
    unseen.packet = packet_;
    add_segment(unseen, begin, end, true);
}

void CaMachine::add_segment(const SentSegment& segment, Serial32 begin, Serial32 end, bool unseen) {
    if (state_.packets_out == 0) {
        timeout_base_us_ = state_.now_us;
        first_tx_us_ = state_.now_us;
        state_.delivered_us = state_.now_us;
    }
    // The first gap in new data after the repair began: what was lost on the end of the flight that it found.
    const bool found_by_repair =
        segment.unseen && state_.ca_state >= CaState::cwr && !state_.snd_nxt.after(state_.high_seq);
    while (begin.before(end)) {
        const auto left = static_cast<uint32_t>(begin.distance_to(end));
        // The FIN takes no room in the segment.
        const uint32_t length = left <= state_.mss + 1 && !unseen && segment.length <= state_.mss
                                    ? left
                                    : std::min(left, state_.mss);
        if (queue_.size() >= max_outstanding || !queue_.has_room()) {
            restart(begin);
            if (!queue_.has_room()) {
                restart(end);
                return;
            }
        }
        Segment& added = queue_.push_back();
        const Serial32 added_end = begin + length;
        added.begin = begin;
        added.end = added_end;
        added.first_sent_us = state_.now_us;
        added.last_sent_us = state_.now_us;
        added.first_packet = segment.packet;
        added.timestamp = segment.timestamp;
        added.unseen = unseen || segment.unseen;
        added.late = 0;
        stamp_for_rate(added);
        ++state_.packets_out;
        begin = added_end;
        if (found_by_repair) {
            added.first_sent_us = added.last_sent_us = last_new_us_;
            if (state_.ca_state == CaState::loss) mark_lost(queue_.end() - 1);
        }
    }
    state_.snd_nxt = end;
    if (found_by_repair) {
        state_.high_seq = end;
    } else {
        last_new_us_ = state_.now_us;
    }
}

// What is outstanding cannot be followed any more: it is taken for arrived, and all begins anew from here.
void CaMachine::restart(Serial32 seq) {
    queue_.clear();
    highest_sack_ = SendQueue::none;
    sack_cache_size_ = 0;
    state_.packets_out = state_.sacked_out = state_.lost_out = state_.retrans_out = 0;
    state_.snd_una = seq;
    state_.snd_nxt = seq;
    state_.high_seq = seq;
    state_.undo_marked = false;
    probing_ = false;
    handshake_ = false;
    enter(CaState::open, "lost track");
}

void CaMachine::stamp_for_rate(Segment& segment) {
    segment.first_tx_us = first_tx_us_;
    segment.delivered_us = state_.delivered_us;
    segment.delivered = state_.delivered;
    segment.app_limited = state_.app_limited != 0;
}

void CaMachine::note_transmission(const SentSegment& segment) {
    state_.last_sent_us = state_.now_us;
    if (segment.has_timestamp && !segment.unseen) {
        ticks_.on_sent(segment.timestamp, state_.now_us);
    }
}

// What the echoed timestamp says of the round trip (RFC 7323 §4), the sender's clock ticking once a millisecond as
// Linux's does; negative if there is no saying.
int64_t CaMachine::rtt_by_echo_us() const {
    if (!timestamps_ || !echo_seen_ || !ticks_.known()) return -1;
    const int64_t rtt_ms = ticks_.since(echo_, state_.now_us);
    constexpr int64_t most_ms = 120'000;
    return rtt_ms < 0 || rtt_ms > most_ms ? -1 : std::max<int64_t>(rtt_ms, 1) * TimestampTicks::tick_us;
}

LossKind CaMachine::kind_now() const {
    return state_.ca_state == CaState::loss ? LossKind::rto : LossKind::fast_retransmit;
}

void CaMachine::note_loss(const SentSegment& segment, Serial32 begin, uint32_t length, LossKind kind,
                          Segment* original) {
    const bool seen = original != nullptr && !original->unseen;
    const PacketNumber first_packet = seen ? original->first_packet : 0;
    const int64_t delay_ns = seen ? (state_.now_us - original->first_sent_us) * 1000 : no_time;
    const uint64_t loss = log_.loss(kind, segment, segment.time_ns, begin, length, first_packet, delay_ns);
    if (original == nullptr || loss == 0) return;
    original->loss = loss;
    original->loss_kind = kind;
    if (recent_.empty()) recent_.resize(max_recent);
    recent_[recent_count_++ % max_recent] = {begin, begin + length, loss, kind};
}

void CaMachine::resend(const SentSegment& segment) {
    const Serial32 end = segment.seq + segment.length + ((segment.flags & tcp_fin) != 0 ? 1 : 0);
    if (!end.after(state_.snd_una)) {
        // Acknowledged, as the capture has it, just before it was sent again: whatever made the sender do so, the receiver
        // had it.
        ++total_retransmissions_;
        if (undo_retrans_ < 0) undo_retrans_ = 0;
        ++undo_retrans_;
        note_loss(segment, segment.seq, segment.length, LossKind::spurious, nullptr);
        note_transmission(segment);
        return;
    }
    const Index first = queue_.find(segment.seq);
    if (first == queue_.end()) return;
    const LossKind kind = explain_resend(first);
    resend_segment(segment, first, kind);
    note_loss(segment, segment.seq, segment.length, kind, &queue_[first]);
    for (Index i = first + 1; i != queue_.end() && queue_[i].begin.before(end); ++i) {
        resend_segment(segment, i, kind);
        queue_[i].loss = queue_[first].loss;
        queue_[i].loss_kind = kind;
    }
    windows_.each(
        [&](auto& window) { window.on_sent(state_, kind == LossKind::tlp || kind == LossKind::rto); });
    note_transmission(segment);
}

bool CaMachine::probe_due(Index i) const {
    if (!state_.sack || probing_ || i + 1 != queue_.end()) return false;
    if (state_.ca_state != CaState::open && state_.ca_state != CaState::cwr) return false;
    const int64_t waited_us = state_.now_us - last_probe_or_progress_us_;
    const int64_t due_us = std::min(2 * rtt_.srtt_us(), rtt_.rto_us());
    return waited_us >= due_us * 9 / 10;
}

// Why the sender sends this again: it was found lost, or a timer ran out.
LossKind CaMachine::explain_resend(Index i) {
    const auto found_lost = [&] { return queue_[i].lost && !queue_[i].retransmitted; };
    if (frto_ && !state_.snd_nxt.after(state_.high_seq)) frto_ = false;
    const int64_t waited_us = state_.now_us - timeout_base_us_;
    const auto timed_out = [&] { return i == queue_.first() && waited_us >= rtt_.rto_us() * 9 / 10; };
    // Else what was found lost was sent again at once, and lost again before it could be captured.
    const auto sent_at_once = [&] {
        return !timed_out() || state_.now_us - first_lost_us_ < rtt_.rto_us() / 2;
    };
    if (found_lost() && sent_at_once()) return kind_now();
    if (state_.sack && rack_.sent_us != 0) {
        const uint32_t lost_before = state_.lost;
        rack_detect();
        if (found_lost() && sent_at_once()) {
            if (state_.ca_state != CaState::recovery) {
                enter_recovery(false, "reordering timeout");
                ++state_.prr_delivered;
                windows_.each(
                    [&](auto& window) { window.reduce(state_, 1, state_.lost - lost_before, false); });
            }
            return LossKind::fast_retransmit;
        }
    }
    if (probe_due(i)) return LossKind::tlp;
    if (i == queue_.first() && waited_us >= rtt_.rto_us() * 3 / 4) {
        enter_loss("retransmission timeout");
        ++timeouts_;
        return LossKind::rto;
    }
    // Nothing captured explains it: an acknowledgement may be missing from the capture.
    mark_lost(i);
    if (state_.ca_state < CaState::recovery) enter_recovery(false, "retransmission");
    return kind_now();
}

void CaMachine::resend_segment(const SentSegment& segment, Index i, LossKind kind) {
    Segment& again = queue_[i];
    ++total_retransmissions_;
    if (kind == LossKind::tlp) {
        probing_ = true;
        probe_resent_ = true;
        probe_end_ = state_.snd_nxt;
        last_probe_or_progress_us_ = state_.now_us;
    } else {
        if (!again.retransmitted && !again.sacked) ++state_.retrans_out;
        if (!again.sacked) again.retransmitted = true;
        if (!retrans_stamped_) {
            retrans_stamped_ = true;
            retrans_stamp_ = segment.timestamp;
        }
        if (undo_retrans_ < 0) undo_retrans_ = 0;
        ++undo_retrans_;
        if (state_.in_cwnd_reduction()) ++state_.prr_out;
        if (i == queue_.first()) timeout_base_us_ = state_.now_us;
    }
    again.ever_retransmitted = true;
    again.last_sent_us = state_.now_us;
    again.timestamp = segment.timestamp;
    stamp_for_rate(again);
    if (!again.sacked) queue_.resent(i);
}

// Acknowledgement.

bool CaMachine::on_ack(const ReceivedAck& ack) {
    note_time(ack.time_ns);
    packet_ = ack.packet;
    time_ns_ = ack.time_ns;
    if (!begun_ || (ack.flags & (tcp_rst | tcp_syn)) != 0) {
        if (!begun_) {
            if ((ack.flags & tcp_syn) != 0) return true;
            begin(ack.ack);
            windows_.each([&](auto& window) { window.start_late(state_); });
        } else if ((ack.flags & tcp_rst) != 0) {
            return true;
        }
    }
    const int32_t beyond = state_.snd_nxt.distance_to(ack.ack);
    if (beyond > beyond_any_window || beyond < -beyond_any_window) return true;
    if (beyond > longest_hole) restart(ack.ack);
    if (ack.ack.after(state_.snd_nxt)) add_unseen(state_.snd_nxt, ack.ack);
    echo_ = ack.timestamp_echo;
    echo_seen_ = ack.has_timestamp && ack.timestamp_echo != 0;
    if (acknowledges_nothing(ack)) {
        const Serial32 wnd_end = state_.wnd_end;
        const uint32_t snd_wnd = state_.snd_wnd;
        const bool snd_wnd_known = state_.snd_wnd_known;
        update_window(ack);
        const bool same_window =
            state_.wnd_end == wnd_end && state_.snd_wnd == snd_wnd && state_.snd_wnd_known == snd_wnd_known;
        return windows_.bbr.control_without_progress(state_) || !same_window;
    }
    AckWork work;
    work.ack = &ack;
    work.prior_una = state_.snd_una;
    process(work);
    return true;
}

// Data came, and acknowledge again what was. Of process(), only what is told of the window and the time are left then.
bool CaMachine::acknowledges_nothing(const ReceivedAck& ack) const {
    return ack.payload_length > 0 && ack.ack == state_.snd_una && ack.sack_blocks == 0 &&
           (ack.flags & (tcp_syn | tcp_ece)) == 0 && state_.ca_state == CaState::open &&
           state_.packets_out > 0 && state_.sacked_out + state_.lost_out == 0 && !probing_;
}

void CaMachine::process(AckWork& work) {
    const ReceivedAck& ack = *work.ack;
    if (ack.ack.before(state_.snd_una)) {
        if (ack.sack_blocks > 0 && state_.sack) {
            tag_sacked(work);
            fastretrans_alert(work, 0);
        }
        return;
    }
    if (ack.ack.after(state_.snd_una)) {
        work.flags.una_advanced = true;
        timeouts_ = 0;
    }
    const Serial32 prior_fack = state_.sack ? highest_sacked() : state_.snd_una;
    const uint32_t prior_packets = state_.packets_out;
    const uint32_t prior_in_flight = state_.in_flight();
    const uint32_t prior_delivered = state_.delivered;
    const uint32_t prior_lost = state_.lost;

    work.flags.data = ack.payload_length > 0;
    work.flags.window_update = update_window(ack);
    state_.snd_una = ack.ack;
    if (ack.sack_blocks > 0 && state_.sack) tag_sacked(work);
    if ((ack.flags & tcp_ece) != 0 && (ack.flags & tcp_syn) == 0) work.flags.ece = true;
    state_.delivered += work.sack_delivered;

    if (prior_packets == 0) {
        if (work.flags.dsacking) fastretrans_alert(work, 0);
        if (probing_) process_tlp_ack(work);
        return;
    }
    clean_rtx_queue(work, prior_fack);
    rack_update_window(work);
    if (probing_) process_tlp_ack(work);
    const Flags& flags = work.flags;
    if (!flags.not_dup() || flags.alert() || state_.ca_state != CaState::open) {
        const bool duplicate = !flags.una_advanced && !flags.not_dup() && !flags.dsacking;
        fastretrans_alert(work, duplicate ? 1 : 0);
    }

    AckEffect effect;
    effect.delivered = state_.delivered - prior_delivered;
    effect.lost = state_.lost - prior_lost;
    effect.rtt_us = work.rtt_us;
    effect.prior_in_flight = prior_in_flight;
    if (state_.app_limited != 0 && static_cast<int32_t>(state_.delivered - state_.app_limited) > 0)
        state_.app_limited = 0;
    if (effect.delivered > 0) state_.delivered_us = state_.now_us;
    sample_rate(work, effect.rate);
    effect.una_advanced = flags.una_advanced;
    effect.data_acked = flags.data_acked;
    effect.forward_progress = flags.acked() || flags.data_sacked;
    const bool may_grow = reordering_ > default_reordering ? effect.forward_progress : effect.data_acked;
    if (state_.in_cwnd_reduction()) state_.prr_delivered += effect.delivered;
    // The handshake is acknowledged before there is a congestion control.
    if (flags.syn_acked && !flags.data_acked) return;
    windows_.each([&](auto& window) { window.control(state_, effect, may_grow); });
}

// Whether the acknowledgement is newer than what the window is known by.
bool CaMachine::update_window(const ReceivedAck& ack) {
    const bool newer = ack.ack.after(state_.snd_una) || ack.seq.after(window_seq_) ||
                       (ack.seq == window_seq_ && (ack.window > state_.snd_wnd || ack.window == 0));
    if (newer) {
        window_seq_ = ack.seq;
        state_.snd_wnd = ack.window;
        state_.snd_wnd_known = ack.scale_known;
        max_window_ = std::max(max_window_, ack.scale_known ? ack.window : uint32_t{beyond_any_window});
    }
    state_.wnd_end = ack.ack + (ack.scale_known ? state_.snd_wnd : uint32_t{beyond_any_window});
    return newer;
}

bool CaMachine::sack_block_valid(bool dsack, Serial32 begin, Serial32 end) const {
    if (end.after(state_.snd_nxt) || !begin.before(end) || !begin.before(state_.snd_nxt)) return false;
    if (begin.after(state_.snd_una)) return true;
    if (!dsack || !state_.undo_marked) return false;
    if (end.after(state_.snd_una)) return false;
    if (!begin.before(undo_marker_)) return true;
    if (!end.after(undo_marker_)) return false;
    return static_cast<uint32_t>(begin.distance_to(end)) <= max_window_;
}

uint32_t CaMachine::note_dsack(AckWork& work, Serial32 begin, Serial32 end) {
    const auto length = static_cast<uint32_t>(begin.distance_to(end));
    if (length > max_window_ || length == 0) return 0;
    uint32_t segments = 1;
    if (length > state_.mss) {
        segments = (length + state_.mss - 1) / state_.mss;
    } else if (probing_ && probe_end_ == end) {
        work.flags.dsack_of_probe = true;
    }
    dsacked_ += segments;
    if (dsacked_ > total_retransmissions_) return 0;
    if (reordering_seen_ && !work.flags.dsack_of_probe) rack_.dsack_seen = true;
    work.flags.dsacking = true;
    work.sack_delivered += segments;
    for (uint64_t k = 0; k < std::min<uint64_t>(recent_count_, max_recent); ++k) {
        Retransmission& sent = recent_[(recent_count_ - 1 - k) % max_recent];
        if (sent.kind == LossKind::spurious || sent.begin.before(begin) || sent.end.after(end)) continue;
        log_.reclassify(sent.loss, sent.kind, LossKind::spurious);
        sent.kind = LossKind::spurious;
        break;
    }
    return segments;
}

// A D-SACK, or the end of a Loss that had no cause, may have told so before, of the retransmission alone.
void CaMachine::note_spurious(const SendQueue::Segment& segment) {
    LossKind kind = segment.loss_kind;
    for (Retransmission& sent : recent_) {
        if (sent.loss != segment.loss) continue;
        kind = sent.kind;
        sent.kind = LossKind::spurious;
    }
    if (kind != LossKind::spurious) log_.reclassify(segment.loss, kind, LossKind::spurious);
}

bool CaMachine::check_dsack(AckWork& work) {
    const ReceivedAck& ack = *work.ack;
    const auto& first = ack.sack[0];
    if (!first.begin.before(ack.ack)) {
        if (ack.sack_blocks < 2) return false;
        const auto& second = ack.sack[1];
        if (first.end.after(second.end) || first.begin.before(second.begin)) return false;
    }
    const uint32_t segments = note_dsack(work, first.begin, first.end);
    if (segments == 0) return false;
    if (state_.undo_marked && undo_retrans_ > 0 && !first.end.after(work.prior_una) &&
        first.end.after(undo_marker_)) {
        undo_retrans_ = std::max<int64_t>(0, undo_retrans_ - segments);
    }
    return true;
}

void CaMachine::tag_sacked(AckWork& work) {
    const ReceivedAck& ack = *work.ack;
    work.reordered = state_.snd_nxt;
    if (state_.sacked_out == 0) {
        highest_sack_ = queue_.first();
        sack_cache_size_ = 0;
    }
    const bool dsack = check_dsack(work);
    if (state_.packets_out == 0) return;

    std::array<ReceivedAck::Block, 4> blocks;
    uint8_t count = 0;
    int first_block = 0;
    for (uint8_t k = 0; k < ack.sack_blocks; ++k) {
        const auto& block = ack.sack[k];
        const bool usable =
            sack_block_valid(k == 0 && dsack, block.begin, block.end) && block.end.after(work.prior_una);
        if (!usable) {
            if (k == 0) first_block = -1;
            continue;
        }
        blocks[count++] = block;
    }
    for (int k = count - 1; k > 0; --k) {
        for (int j = 0; j < k; ++j) {
            auto& one = blocks[static_cast<size_t>(j)];
            auto& next = blocks[static_cast<size_t>(j) + 1];
            if (!one.begin.after(next.begin)) continue;
            std::swap(one, next);
            if (j == first_block) first_block = j + 1;
        }
    }
    for (int k = 0; k < count; ++k) {
        const auto& block = blocks[static_cast<size_t>(k)];
        const bool dsack_block = dsack && k == first_block;
        Serial32 from = block.begin;
        if (!dsack_block) {
            // What the acknowledgement before told already is done.
            for (uint8_t c = 0; c < sack_cache_size_ && from.before(block.end); ++c) {
                const auto& done = sack_cache_[c];
                if (!done.end.after(from) || !done.begin.before(block.end)) continue;
                tag_within(work, block, from, done.begin, false);
                from = done.end;
            }
        }
        tag_within(work, block, from, block.end, dsack_block);
    }
    sack_cache_ = blocks;
    sack_cache_size_ = count;
    if (state_.ca_state != CaState::loss || state_.undo_marked) check_reordering(work.reordered);
}

// The segments of the block that lie between, as far as they lie within it whole.
void CaMachine::tag_within(AckWork& work, const ReceivedAck::Block& block, Serial32 from, Serial32 to,
                           bool dsack) {
    if (!from.before(to)) return;
    for (Index i = queue_.find(from); i != queue_.end() && queue_[i].begin.before(to); ++i) {
        if (!queue_[i].begin.before(block.begin) && !queue_[i].end.after(block.end)) tag_one(work, i, dsack);
    }
}

void CaMachine::tag_one(AckWork& work, Index i, bool dsack) {
    Segment& segment = queue_[i];
    if (dsack && segment.ever_retransmitted) {
        if (state_.undo_marked && undo_retrans_ > 0 && segment.end.after(undo_marker_)) --undo_retrans_;
        if (segment.sacked && segment.begin.before(work.reordered)) work.reordered = segment.begin;
    }
    if (!segment.end.after(state_.snd_una)) return;
    if (!segment.sacked) {
        rack_advance(segment);
        if (segment.retransmitted) {
            if (segment.lost) {
                segment.lost = false;
                segment.retransmitted = false;
                --state_.lost_out;
                --state_.retrans_out;
            }
        } else {
            if (!segment.ever_retransmitted) {
                const bool passed = segment.begin.before(highest_sacked());
                if (passed && segment.begin.before(work.reordered)) work.reordered = segment.begin;
                note_order(segment, passed);
                if (!segment.end.after(state_.high_seq)) work.flags.original_acked = true;
                if (work.first_sacked_us == 0) work.first_sacked_us = segment.last_sent_us;
                work.last_sacked_us = segment.last_sent_us;
            }
            if (segment.lost) {
                segment.lost = false;
                --state_.lost_out;
            }
        }
        segment.sacked = true;
        work.flags.data_sacked = true;
        ++state_.sacked_out;
        ++work.sack_delivered;
        note_delivered(work, segment);
    }
    if (dsack && segment.retransmitted) {
        segment.retransmitted = false;
        --state_.retrans_out;
    }
    queue_.leave_time_order(i);
    if (highest_sack_ == SendQueue::none || i >= highest_sack_) highest_sack_ = i + 1;
}

// A segment has arrived, after higher ones or in order, as the receiver tells by what it SACKed before (RFC 4737's
// reordering), or by duplicate acknowledgements where it has no SACK.
void CaMachine::note_order(const Segment& segment, bool passed) {
    if (segment.unseen) return;
    const bool on_path = passed || (!state_.sack && state_.sacked_out > 0);
    if (on_path && !segment.ever_retransmitted) log_.summary().on_reordered(Reordering::path);
    if (segment.late == 0) return;
    // Sent again already: the receiver had asked for it.
    const bool asked = on_path || segment.ever_retransmitted;
    log_.reordered(segment.late, asked ? Reordering::path : Reordering::tap);
    if (!asked) log_.summary().on_reordered(Reordering::tap);
}

void CaMachine::note_delivered(AckWork& work, const Segment& segment) {
    if (work.newest_sent_us != 0 &&
        !sent_after(segment.last_sent_us, work.newest_sent_us, segment.end, work.newest_end))
        return;
    work.newest_sent_us = segment.last_sent_us;
    work.newest_end = segment.end;
    work.prior_delivered = segment.delivered;
    work.prior_delivered_us = segment.delivered_us;
    work.app_limited = segment.app_limited;
    first_tx_us_ = segment.last_sent_us;
    work.send_interval_us = first_tx_us_ - segment.first_tx_us;
}

void CaMachine::sample_rate(const AckWork& work, RateSample& rate) const {
    rate.prior_delivered = work.prior_delivered;
    rate.app_limited = work.app_limited;
    if (work.prior_delivered_us == 0) return;
    rate.delivered = static_cast<int32_t>(state_.delivered - work.prior_delivered);
    rate.interval_us = std::max(work.send_interval_us, state_.now_us - work.prior_delivered_us);
    if (rate.interval_us < state_.min_rtt_us) rate.interval_us = -1;
}

void CaMachine::clean_rtx_queue(AckWork& work, Serial32 prior_fack) {
    Flags& flags = work.flags;
    int64_t first_acked_us = 0;
    int64_t last_acked_us = 0;
    Serial32 reordered = state_.snd_nxt;
    uint32_t acked = 0;
    while (!queue_.empty()) {
        const Index i = queue_.first();
        Segment& segment = queue_[i];
        if (segment.end.after(state_.snd_una)) break;
        const bool syn = handshake_;
        if (segment.ever_retransmitted) {
            if (segment.retransmitted) --state_.retrans_out;
            flags.retransmitted_acked = true;
        } else if (!segment.sacked && !(syn && syn_transmissions_ > 1)) {
            if (!segment.unseen) {
                last_acked_us = segment.last_sent_us;
                if (first_acked_us == 0) first_acked_us = last_acked_us;
            }
            if (segment.begin.before(reordered)) reordered = segment.begin;
            if (!segment.end.after(state_.high_seq)) flags.original_acked = true;
        }
        if (segment.sacked) {
            --state_.sacked_out;
        } else if (state_.sack) {
            ++state_.delivered;
            const bool spurious = segment.ever_retransmitted && echo_before(segment.timestamp);
            if (!spurious) rack_advance(segment);
            if (spurious && segment.loss != 0) note_spurious(segment);
        }
        if (segment.lost) --state_.lost_out;
        --state_.packets_out;
        ++acked;
        if (!segment.sacked) note_delivered(work, segment);
        if (!segment.sacked) note_order(segment, segment.begin.before(prior_fack));
        if (syn) {
            flags.syn_acked = true;
            retrans_stamped_ = false;
            handshake_ = false;
            windows_.each([&](auto& window) {
                if (syn_transmissions_ > 1) {
                    window.start_with(state_, 1);
                } else {
                    window.start(state_);
                }
            });
        } else {
            flags.data_acked = true;
        }
        queue_.pop_front();
    }
    if (highest_sack_ != SendQueue::none) highest_sack_ = std::max(highest_sack_, queue_.first());
    if (!queue_.empty() && queue_[queue_.first()].sacked) flags.reneging = true;

    int64_t seq_rtt_us = -1;
    int64_t last_rtt_us = -1;
    int64_t sack_rtt_us = -1;
    if (first_acked_us != 0 && !flags.retransmitted_acked) {
        seq_rtt_us = state_.now_us - first_acked_us;
        last_rtt_us = state_.now_us - last_acked_us;
    }
    if (work.first_sacked_us != 0) {
        sack_rtt_us = state_.now_us - work.first_sacked_us;
        last_rtt_us = state_.now_us - work.last_sacked_us;
    }
    take_rtt(work, seq_rtt_us, sack_rtt_us, last_rtt_us);
    if (flags.acked()) {
        timeout_base_us_ = state_.now_us;
        last_probe_or_progress_us_ = state_.now_us;
        if (!state_.sack) {
            remove_reno_sacks(acked);
            if (flags.retransmitted_acked) flags.original_acked = false;
        } else if (reordered.before(prior_fack)) {
            check_reordering(reordered);
        }
    }
    AckEffect effect;
    effect.rtt_us = work.rtt_us;
    windows_.each([&](auto& window) { window.on_acked(state_, effect); });
}

void CaMachine::take_rtt(AckWork& work, int64_t seq_rtt_us, int64_t sack_rtt_us, int64_t last_rtt_us) {
    if (seq_rtt_us < 0) seq_rtt_us = sack_rtt_us;
    if (seq_rtt_us < 0 && work.flags.acked()) {
        seq_rtt_us = rtt_by_echo_us();
        last_rtt_us = seq_rtt_us;
    }
    // No sender waits for an acknowledgement any longer (twice TCP_RTO_MAX): the clock was set.
    constexpr int64_t longest_rtt_us = 240'000'000;
    if (seq_rtt_us > longest_rtt_us || last_rtt_us > longest_rtt_us) return;
    work.rtt_us = last_rtt_us;
    if (seq_rtt_us < 0) return;
    if (last_rtt_us >= 0 &&
        (last_rtt_us <= state_.min_rtt_us || state_.now_us - min_rtt_seen_us_ > min_rtt_window_us)) {
        state_.min_rtt_us = std::max<int64_t>(1, last_rtt_us);
        min_rtt_seen_us_ = state_.now_us;
    }
    rtt_.add(seq_rtt_us, state_.snd_una, state_.snd_nxt);
    state_.srtt_us = rtt_.srtt_us();
    state_.rto_us = rtt_.rto_us();
}

void CaMachine::process_tlp_ack(const AckWork& work) {
    const Serial32 ack = work.ack->ack;
    if (ack.before(probe_end_)) return;
    // Probe and original both arrived: a D-SACK says so, or a mere duplicate.
    const bool mere_duplicate = !ack.after(probe_end_) && !work.flags.una_advanced && !work.flags.not_dup() &&
                                !work.flags.data_sacked;
    if (!probe_resent_ || work.flags.dsack_of_probe || mere_duplicate) {
        probing_ = false;
    } else if (ack.after(probe_end_)) {
        begin_reduction();
        enter(CaState::cwr, "tail loss probe repaired a loss");
        end_reduction();
        try_keep_open("tail loss probe repaired a loss");
    }
}

void CaMachine::fastretrans_alert(AckWork& work, uint32_t duplicates) {
    Flags& flags = work.flags;
    if (state_.packets_out == 0) state_.sacked_out = 0;
    if (flags.ece) windows_.each([](auto& window) { window.forget_ssthresh(); });
    if (flags.reneging && flags.una_advanced) return;

    if (state_.ca_state == CaState::open) {
        retrans_stamped_ = false;
    } else if (!state_.snd_una.before(state_.high_seq)) {
        if (state_.ca_state == CaState::cwr) {
            if (state_.snd_una != state_.high_seq) {
                end_reduction();
                enter(CaState::open, "CWR was acknowledged");
            }
        } else if (state_.ca_state == CaState::recovery) {
            if (!state_.sack) state_.sacked_out = 0;
            if (try_undo_recovery("recovered")) return;
            end_reduction();
        }
    }

    if (state_.ca_state == CaState::recovery) {
        bool done = false;
        process_recovery(work, duplicates, done);
        if (done) return;
    } else {
        if (state_.ca_state == CaState::loss) {
            process_loss_state(work, duplicates);
            identify_loss(work);
            if (state_.ca_state != CaState::open && !flags.lost_retransmit) return;
        }
        if (!state_.sack) {
            if (flags.una_advanced) state_.sacked_out = 0;
            add_reno_sacks(duplicates);
        }
        if (state_.ca_state <= CaState::disorder) try_undo_dsack();
        identify_loss(work);
        if (state_.lost_out == 0) {
            try_to_open(work);
            return;
        }
        enter_recovery(flags.ece, state_.sack ? "loss found by RACK" : "duplicate acknowledgements");
    }
}

void CaMachine::process_recovery(AckWork& work, uint32_t duplicates, bool& done) {
    if (!work.flags.una_advanced) {
        if (!state_.sack) add_reno_sacks(duplicates);
    } else if (state_.undo_marked && packet_delayed()) {
        // The hole was filled by the original, late.
        check_reordering(work.prior_una);
        if (state_.retrans_out > 0) {
            done = true;
            return;
        }
        if (!any_retransmission_out()) retrans_stamped_ = false;
        undo(true);
        try_keep_open("undone by timestamps");
    }
    if (try_undo_dsack()) try_to_open(work);
    identify_loss(work);
    if (state_.ca_state != CaState::recovery) {
        if (state_.lost_out == 0) {
            done = true;
            return;
        }
        enter_recovery(work.flags.ece, "loss found by RACK");
    }
}

void CaMachine::process_loss_state(AckWork& work, uint32_t duplicates) {
    Flags& flags = work.flags;
    const bool recovered = !state_.snd_una.before(state_.high_seq);
    if (flags.una_advanced && try_undo_loss(false)) return;
    if (frto_) {
        if (flags.original_acked && try_undo_loss(true)) return;
        if (state_.snd_nxt.after(state_.high_seq)) {
            if (flags.data_sacked || duplicates > 0) frto_ = false;
        } else if (flags.una_advanced && !recovered) {
            // Whether the sender now sends new data, as F-RTO wants, or again what was lost, its next segment tells.
            state_.high_seq = state_.snd_nxt;
            return;
        }
    }
    if (recovered) {
        try_undo_recovery("recovered");
        return;
    }
    if (!state_.sack) {
        if (state_.snd_nxt.after(state_.high_seq) && duplicates > 0) {
            add_reno_sacks(duplicates);
        } else if (flags.una_advanced) {
            state_.sacked_out = 0;
        }
    }
}

// RACK and loss marking.

void CaMachine::rack_advance(const Segment& segment) {
    const int64_t rtt_us = state_.now_us - segment.last_sent_us;
    if (rtt_us < state_.min_rtt_us && segment.ever_retransmitted) return;
    rack_.advanced = true;
    rack_.rtt_us = rtt_us;
    if (sent_after(segment.last_sent_us, rack_.sent_us, segment.end, rack_.end)) {
        rack_.sent_us = segment.last_sent_us;
        rack_.end = segment.end;
    }
}

int64_t CaMachine::rack_window_us() const {
    if (!reordering_seen_) {
        if (state_.ca_state >= CaState::recovery) return 0;
        if (state_.sacked_out >= reordering_) return 0;
    }
    return std::min((state_.min_rtt_us >> 2) * rack_.window_steps, state_.srtt_us);
}

void CaMachine::rack_detect() {
    const int64_t window_us = rack_window_us();
    Index next = SendQueue::none;
    for (Index i = queue_.oldest_sent(); i != SendQueue::none; i = next) {
        const Segment& segment = queue_[i];
        next = queue_.newer(i);
        if (segment.lost && !segment.retransmitted) continue;
        if (!sent_after(rack_.sent_us, segment.last_sent_us, rack_.end, segment.end)) break;
        const int64_t remaining_us = rack_.rtt_us + window_us - (state_.now_us - segment.last_sent_us);
        if (remaining_us > 0) continue;
        mark_lost(i);
        queue_.leave_time_order(i);
    }
}

void CaMachine::rack_mark_lost() {
    if (!rack_.advanced) return;
    rack_.advanced = false;
    rack_detect();
}

void CaMachine::rack_update_window(const AckWork& work) {
    if (work.prior_delivered == 0) return;
    if (static_cast<int32_t>(work.prior_delivered - rack_.last_delivered) < 0) rack_.dsack_seen = false;
    if (rack_.dsack_seen) {
        rack_.window_steps = std::min(255u, rack_.window_steps + 1);
        rack_.dsack_seen = false;
        rack_.last_delivered = state_.delivered;
        rack_.persist = rack_persist;
    } else if (rack_.persist == 0) {
        rack_.window_steps = 1;
    }
}

void CaMachine::identify_loss(AckWork& work) {
    if (queue_.empty()) return;
    if (state_.sack) {
        const uint32_t prior = state_.retrans_out;
        rack_mark_lost();
        if (prior > state_.retrans_out) work.flags.lost_retransmit = true;
        return;
    }
    const bool enough = state_.ca_state < CaState::recovery && state_.sacked_out >= reordering_;
    if (enough || (state_.ca_state == CaState::recovery && work.flags.una_advanced)) {
        if (!queue_[queue_.first()].lost) mark_lost(queue_.first());
    }
}

void CaMachine::mark_lost(Index i) {
    Segment& segment = queue_[i];
    if (segment.sacked) return;
    if (segment.lost && !segment.retransmitted) return;
    if (i == queue_.first()) first_lost_us_ = state_.now_us;
    if (segment.lost) {
        segment.retransmitted = false;
        --state_.retrans_out;
        ++state_.lost;
        return;
    }
    segment.lost = true;
    ++state_.lost_out;
    ++state_.lost;
}

Serial32 CaMachine::highest_sacked() const {
    if (state_.sacked_out == 0 || highest_sack_ == SendQueue::none) return state_.snd_una;
    return highest_sack_ >= queue_.end() ? state_.snd_nxt : queue_[highest_sack_].begin;
}

void CaMachine::check_reordering(Serial32 low) {
    const Serial32 highest = highest_sacked();
    if (!low.before(highest)) return;
    const auto extent = static_cast<uint32_t>(low.distance_to(highest));
    if (extent > reordering_ * state_.mss)
        reordering_ = std::min((extent + state_.mss - 1) / state_.mss, max_reordering);
    reordering_seen_ = true;
}

// Without SACK: duplicate acknowledgements stand for segments SACKed.

void CaMachine::limit_reno_sacks(uint32_t addend) {
    const uint32_t holes = std::min(std::max(state_.lost_out, 1u), state_.packets_out);
    if (state_.sacked_out + holes <= state_.packets_out) return;
    state_.sacked_out = state_.packets_out - holes;
    reordering_ = std::min(state_.packets_out + addend, max_reordering);
    reordering_seen_ = true;
}

void CaMachine::add_reno_sacks(uint32_t duplicates) {
    if (duplicates == 0) return;
    const uint32_t prior = state_.sacked_out;
    state_.sacked_out += duplicates;
    limit_reno_sacks(0);
    if (state_.sacked_out > prior) state_.delivered += state_.sacked_out - prior;
}

void CaMachine::remove_reno_sacks(uint32_t acked) {
    if (acked > 0) {
        state_.delivered += std::max(acked > state_.sacked_out ? acked - state_.sacked_out : 0, 1u);
        state_.sacked_out = acked - 1 >= state_.sacked_out ? 0 : state_.sacked_out - (acked - 1);
    }
    limit_reno_sacks(acked);
}

// States.

void CaMachine::enter(CaState to, const char* cause) {
    if (to != state_.ca_state) log_.transition(packet_, time_ns_, state_.ca_state, to, cause);
    state_.ca_state = to;
}

void CaMachine::begin_reduction() {
    state_.high_seq = state_.snd_nxt;
    probing_ = false;
    state_.prr_delivered = 0;
    state_.prr_out = 0;
    windows_.each([](auto& window) { window.begin_reduction(); });
}

void CaMachine::end_reduction() {
    const bool undone = state_.ca_state != CaState::cwr && !state_.undo_marked;
    windows_.each([&](auto& window) { window.end_reduction(state_, undone); });
}

void CaMachine::begin_undo() {
    state_.undo_marked = true;
    undo_marker_ = state_.snd_una;
    undo_retrans_ = state_.retrans_out;
    if (probing_ && probe_resent_) ++undo_retrans_;
    if (undo_retrans_ == 0) undo_retrans_ = -1;
}

void CaMachine::enter_recovery(bool ece, const char* cause) {
    if (!any_retransmission_out()) retrans_stamped_ = false;
    windows_.each([](auto& window) { window.forget_ssthresh(); });
    begin_undo();
    if (!state_.in_cwnd_reduction()) {
        if (!ece) windows_.each([&](auto& window) { window.remember_ssthresh(state_); });
        begin_reduction();
    }
    enter(CaState::recovery, cause);
}

void CaMachine::enter_loss(const char* cause) {
    const bool new_recovery = state_.ca_state < CaState::recovery;
    const Index head = queue_.first();
    const bool reneging = queue_[head].sacked;
    if (reneging || !state_.sack) state_.sacked_out = 0;
    for (Index i = head; i != queue_.end(); ++i) {
        Segment& segment = queue_[i];
        if (reneging) {
            segment.sacked = false;
        } else if (i != head && rack_.rtt_us - (state_.now_us - segment.last_sent_us) > 0) {
            continue;
        }
        mark_lost(i);
    }
    const bool first = state_.ca_state <= CaState::disorder || !state_.high_seq.after(state_.snd_una) ||
                       (state_.ca_state == CaState::loss && timeouts_ == 0);
    if (first) begin_undo();
    const CaState was = state_.ca_state;
    if (was <= CaState::disorder && state_.sacked_out >= default_reordering)
        reordering_ = std::min(reordering_, default_reordering);
    if (first) timeout_begin_ = recent_count_;
    windows_.each([&](auto& window) { window.lose(state_, first); });
    enter(CaState::loss, cause);
    state_.high_seq = state_.snd_nxt;
    probing_ = false;
    frto_ = new_recovery || timeouts_ > 0;
}

void CaMachine::enter_cwr(const char* cause) {
    windows_.each([](auto& window) { window.forget_ssthresh(); });
    if (state_.ca_state >= CaState::cwr) return;
    state_.undo_marked = false;
    begin_reduction();
    enter(CaState::cwr, cause);
}

void CaMachine::undo(bool unmark_lost) {
    if (unmark_lost) {
        for (Index i = queue_.first(); i != queue_.end(); ++i) queue_[i].lost = false;
        state_.lost_out = 0;
    }
    windows_.each([&](auto& window) { window.undo(state_); });
    state_.undo_marked = false;
    rack_.advanced = true;
}

bool CaMachine::echo_before(uint32_t timestamp) const {
    return timestamps_ && echo_seen_ && Serial32(echo_).before(Serial32(timestamp));
}

// Whether what was acknowledged is the original, late: it echoes a time before the first retransmission, or there was
// none yet.
bool CaMachine::packet_delayed() const {
    if (retrans_stamped_) return echo_before(retrans_stamp_);
    // Without SACK the stamp is cleared as high_seq is reached, retransmission or not.
    return state_.sack || state_.snd_una.before(state_.high_seq);
}

bool CaMachine::may_undo() const {
    return state_.undo_marked && (undo_retrans_ == 0 || packet_delayed());
}

bool CaMachine::any_retransmission_out() const {
    return state_.retrans_out > 0 || (!queue_.empty() && queue_[queue_.first()].ever_retransmitted);
}

// Without SACK nothing above high_seq has been acknowledged yet: duplicates may still come from retransmissions.
bool CaMachine::reno_prevents_reopening() {
    if (state_.sack || state_.snd_una != state_.high_seq) return false;
    if (!any_retransmission_out()) retrans_stamped_ = false;
    return true;
}

bool CaMachine::try_undo_recovery(const char* cause) {
    if (may_undo()) {
        undo(false);
        cause = "undone";
    } else if (rack_.persist > 0) {
        --rack_.persist;
    }
    if (reno_prevents_reopening()) return true;
    enter(CaState::open, cause);
    return false;
}

bool CaMachine::try_undo_dsack() {
    if (!state_.undo_marked || undo_retrans_ != 0) return false;
    rack_.persist = std::min(rack_persist, rack_.persist + 1);
    undo(false);
    return true;
}

bool CaMachine::try_undo_loss(bool by_frto) {
    if (!by_frto && !may_undo()) return false;
    undo(true);
    // What the timeout sent again had arrived.
    for (uint64_t k = timeout_begin_; k < recent_count_; ++k) {
        if (k + max_recent < recent_count_) continue;
        Retransmission& sent = recent_[k % max_recent];
        if (sent.kind != LossKind::rto) continue;
        log_.reclassify(sent.loss, sent.kind, LossKind::spurious);
        sent.kind = LossKind::spurious;
    }
    timeouts_ = 0;
    if (reno_prevents_reopening()) return true;
    if (by_frto || state_.sack) enter(CaState::open, by_frto ? "spurious timeout (F-RTO)" : "undone");
    return true;
}

void CaMachine::try_keep_open(const char* cause) {
    const bool disorder = state_.sacked_out + state_.lost_out > 0 || any_retransmission_out();
    const CaState to = disorder ? CaState::disorder : CaState::open;
    if (state_.ca_state == to) return;
    enter(to, cause);
    state_.high_seq = state_.snd_nxt;
}

void CaMachine::try_to_open(const AckWork& work) {
    if (!any_retransmission_out()) retrans_stamped_ = false;
    if (work.flags.ece) enter_cwr("ECN echo");
    if (state_.ca_state == CaState::cwr) return;
    try_keep_open(state_.ca_state == CaState::open ? (state_.sack ? "SACK" : "duplicate acknowledgement")
                                                   : "in order again");
}

}  // namespace sanscope
