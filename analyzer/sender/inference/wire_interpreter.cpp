// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/inference/wire_interpreter.h"

#include <algorithm>
#include <utility>

#include "analyzer/net/decoded_packet.h"
#include "analyzer/sender/inference/retransmission_cause.h"

namespace sanscope {
namespace {

// Farther than this no window reaches (RFC 7323 §2.3).
constexpr int32_t beyond_any_window = 1 << 30;
// No path has a smaller one (RFC 879 has 536 for default); a header may claim any.
constexpr uint32_t least_mss = 64;
// A larger hole than this was not lost by a sniffer: the capture paused, or the packet is not of this connection.
// Chosen, not measured: 16 MiB, above the default of net.ipv4.tcp_rmem's maximum.
constexpr int32_t longest_hole = 1 << 24;
// More segments than this are not followed: more than any window in use holds.
constexpr size_t max_outstanding = size_t{1} << 17;

bool is_far(int32_t distance) {
    return distance > beyond_any_window || distance < -beyond_any_window;
}

}  // namespace

WireInterpreter::WireInterpreter(SenderLog& log, SendBudget& budget, const SenderOptions& options)
    : journal_(log), kernel_(budget, windows_, journal_), tp_(kernel_.tp()), estimated_(options.estimated) {
    tp_.timestamps = options.timestamps;
    tp_.sack = options.sack;
    sack_known_ = options.mss != 0;
    if (options.mss != 0) tp_.mss = std::max(options.mss, least_mss);
}

void WireInterpreter::set_now(PacketNumber packet, int64_t time_ns) {
    if (journal_.time_ns() == no_time) base_us_ = std::min<int64_t>(0, time_ns / 1000);
    // Packets of the two directions may stand a little out of order.
    const int64_t before_us = std::exchange(tp_.now_us, std::max(tp_.now_us, time_ns / 1000 - base_us_));
    silence_us_ = journal_.time_ns() == no_time ? 0 : tp_.now_us - before_us;
    journal_.at(packet, time_ns);
}

// The connection's beginning was not captured.
void WireInterpreter::begin_late(Serial32 seq) {
    begun_ = true;
    kernel_.init_sequence(seq);
    windows_.each([&](auto& window) { window.init_late(tp_); });
}

// What was sent before may be outstanding, and no acknowledgement has shown that it is not.
void WireInterpreter::begin_in_flight() {
    begun_in_flight_ = true;
    any_heard_ = false;
}

void WireInterpreter::note_heard(Serial32 ack) {
    if (!any_heard_ || ack.after(heard_)) heard_ = ack;
    any_heard_ = true;
    begun_in_flight_ = heard_.before(tp_.snd_una);
}

bool WireInterpreter::is_outstanding(Serial32 end) const {
    return begun_in_flight_ && !(any_heard_ && !heard_.before(end));
}

// Transmission.

void WireInterpreter::on_sent(const SentSegment& segment) {
    set_now(segment.packet, segment.time_ns);
    if ((segment.flags & tcp_rst) != 0) return;
    if ((segment.flags & tcp_syn) != 0) return on_syn(segment);
    const uint32_t length = segment.length + ((segment.flags & tcp_fin) != 0 ? 1 : 0);
    if (!begun_) {
        if (length == 0) return;
        begin_late(segment.seq);
        begin_in_flight();
    }
    const Serial32 begin = segment.seq;
    const Serial32 end = begin + length;
    if (is_far(tp_.snd_nxt.distance_to(begin))) {
        // The capture paused for long: this is of the connection, and what is outstanding is not known.
        if (length == 0) return;
        lose_track(begin);
    }
    if (segment.keeps_alive) {
        const Serial32 probed = begin.before(tp_.snd_una) ? tp_.snd_una : begin;
        const bool window_open = !tp_.snd_wnd_known || tp_.wnd_end.after(probed);
        journal_.add(segment, begin, length, window_open ? LossKind::keep_alive : LossKind::zero_window_probe,
                     nullptr, tp_.now_us);
        return;
    }
    if (length == 0) return;
    if (segment.unseen) return on_unseen(segment, begin, end);
    unseen_bytes_ = 0;
    const bool again = segment.sent == Sent::again;
    if (!again && !segment.overtaken && begin == tp_.snd_nxt) [[likely]]
        return send_new(segment, begin, end);
    // Some probe a window that is shut with the byte behind it, the same one again and again.
    if (length == 1 && again && tp_.snd_wnd_known && !begin.before(tp_.wnd_end)) {
        journal_.add(segment, begin, length, LossKind::zero_window_probe, nullptr, tp_.now_us);
        return;
    }
    if (again) {
        on_known(segment, begin, end);
    } else {
        on_first_time(segment, begin, end);
    }
}

void WireInterpreter::on_syn(const SentSegment& segment) {
    if (!begun_) {
        begun_ = true;
        kernel_.init_sequence(segment.seq);
        kernel_.send_syn();
        initial_seq_ = segment.seq;
        initial_seq_known_ = true;
        tp_.min_rtt_is_path = !estimated_;
        queue_segments(segment, segment.seq, segment.seq + 1, false);
        return;
    }
    if (!initial_seq_known_ || segment.seq != initial_seq_) return;
    kernel_.resend_syn();
    // tcp_retransmit_timer(), or tcp_rtx_synack(): both are counted as segments sent again.
    if (segment.sent != Sent::again) return;
    SendQueue& queue = kernel_.queue();
    journal_.add(segment, segment.seq, 1, LossKind::rto,
                 kernel_.syn_outstanding() ? &queue[queue.first()] : nullptr, tp_.now_us);
}

// No packet is this transmission. What an acknowledgement has shown before stands in the queue.
void WireInterpreter::on_unseen(const SentSegment& segment, Serial32 begin, Serial32 end) {
    if (!end.after(tp_.snd_nxt)) return;
    const Serial32 from = begin.before(tp_.snd_nxt) ? tp_.snd_nxt : begin;
    if (unseen_bytes_ == 0) most_unseen_bytes_ = most_let_go();
    unseen_bytes_ += tp_.snd_nxt.distance_to(end);
    if (unseen_bytes_ > most_unseen_bytes_) return lose_track(end);
    add_missed(from);
    send_new(segment, from, end);
}

void WireInterpreter::on_first_time(const SentSegment& segment, Serial32 begin, Serial32 end) {
    const auto length = static_cast<uint32_t>(begin.distance_to(end));
    const uint64_t late_row = segment.overtaken ? journal_.add_late(segment, begin, length) : 0;
    if (late_row != 0) journal_.on_late_original(begin, end);
    if (begin.before(tp_.snd_nxt)) fill_in(segment, begin, end, late_row);
    if (!end.after(tp_.snd_nxt)) return;
    const Serial32 from = begin.before(tp_.snd_nxt) ? tp_.snd_nxt : begin;
    add_missed(from);
    send_new(segment, from, end);
    SendQueue& queue = kernel_.queue();
    if (late_row != 0 && !queue.empty()) queue[queue.end() - 1].late = late_row;
}

// Known to have been sent before, though the replay may not have seen that.
void WireInterpreter::on_known(const SentSegment& segment, Serial32 begin, Serial32 end) {
    if (!begin.before(tp_.snd_nxt)) add_unseen(tp_.snd_nxt, end);
    if (segment.acknowledged_before) journal_.count_resent_after_ack();
    if (!end.after(tp_.snd_nxt)) {
        resend(segment);
        return;
    }
    SentSegment repeated = segment;
    repeated.length = static_cast<uint32_t>(begin.distance_to(tp_.snd_nxt));
    repeated.flags &= static_cast<uint16_t>(~tcp_fin);
    resend(repeated);
    send_new(segment, tp_.snd_nxt, end);
}

// New data as a tail loss probe, whatever cwnd says (RFC 8985 §7.3): after two round trips without an acknowledgement.
bool WireInterpreter::is_probe_of_new_data() const {
    const bool possible = application_.more_waiting() && tp_.sack && !kernel_.probe().out() &&
                          !kernel_.queue().empty() && kernel_.rtt_measured() &&
                          (tp_.ca_state == CaState::open || tp_.ca_state == CaState::cwr);
    return possible && tp_.now_us - tp_.pto_start_us >= 2 * tp_.srtt_us;
}

void WireInterpreter::send_new(const SentSegment& segment, Serial32 begin, Serial32 end) {
    const auto length = static_cast<uint32_t>(begin.distance_to(end));
    kernel_.slow_start_after_idle_check();
    application_.before_new_data(tp_, length, windows_.bbr);
    kernel_.start_transmission();
    const bool probe = is_probe_of_new_data();
    if (length == 1 && tp_.snd_wnd == 0 && tp_.max_window > 0)
        journal_.add(segment, begin, length, LossKind::zero_window_probe, nullptr, tp_.now_us);
    const uint32_t before = tp_.packets_out;
    queue_segments(segment, begin, end, false);
    if (tp_.in_cwnd_reduction()) tp_.prr_out += tp_.packets_out - before;
    if (probe) kernel_.send_probe_of_new_data();
    windows_.each([&](auto& window) { window.on_sent(tp_, probe); });
    application_.after_new_data(tp_, (segment.flags & (tcp_psh | tcp_fin)) == 0, windows_.bbr);
    tp_.pto_start_us = tp_.now_us;
    if (!tp_.snd_wnd_known) [[unlikely]]
        unscaled_.on_sent(tp_);
    note_transmission(segment);
}

// Payload bytes of each that segmentation offload makes of it: options beyond those of every segment, as SACK, take room in
// each of them (tcp_current_mss()).
inline uint32_t WireInterpreter::mss_of(const SentSegment& segment) const {
    const uint32_t usual = tp_.timestamps ? timestamps_length : 0;
    if (segment.options_length <= usual) [[likely]]
        return tp_.mss;
    const uint32_t more = segment.options_length - usual;
    return tp_.mss > least_mss + more ? tp_.mss - more : least_mss;
}

[[gnu::always_inline]] inline void WireInterpreter::queue_segments(const SentSegment& segment, Serial32 begin,
                                                                   Serial32 end, bool unseen) {
    kernel_.start_flight();
    // The first gap in new data after the repair began: what was lost on the end of the flight that it found.
    const bool found_by_repair =
        segment.unseen && tp_.ca_state >= CaState::cwr && !tp_.snd_nxt.after(tp_.high_seq);
    SendQueue& queue = kernel_.queue();
    const uint32_t mss = mss_of(segment);
    while (begin.before(end)) {
        const auto left = static_cast<uint32_t>(begin.distance_to(end));
        // The FIN takes no room in the segment.
        const bool one = left <= mss + 1 && !unseen && segment.length <= mss;
        const uint32_t length = one ? left : std::min(left, mss);
        if (queue.size() >= max_outstanding || !queue.has_room()) {
            kernel_.reset_queue(begin);
            if (!queue.has_room()) {
                kernel_.reset_queue(end);
                return;
            }
        }
        Segment& added = kernel_.queue_new_segment(begin, begin + length);
        added.first_packet = segment.packet;
        added.timestamp = segment.timestamp;
        added.unseen = unseen || segment.unseen;
        added.late = 0;
        begin = begin + length;
        if (found_by_repair) {
            added.first_sent_us = added.last_sent_us = last_new_us_;
            if (tp_.ca_state == CaState::loss) kernel_.mark_lost(queue.end() - 1);
        }
    }
    tp_.snd_nxt = end;
    if (found_by_repair) {
        tp_.high_seq = end;
    } else {
        last_new_us_ = tp_.now_us;
    }
}

void WireInterpreter::note_transmission(const SentSegment& segment) {
    tp_.last_sent_us = tp_.now_us;
    if (segment.has_timestamp && !segment.unseen) ticks_.on_sent(segment.timestamp, tp_.now_us);
}

// Data that the capture does not have.

void WireInterpreter::add_unseen(Serial32 begin, Serial32 end) {
    SentSegment unseen;
    unseen.time_ns = journal_.time_ns();
    unseen.packet = journal_.packet();
    queue_segments(unseen, begin, end, true);
}

// How many bytes a window can have let go since what was seen or heard last. Of a silence of both ends, none: where more is missing,
// the capture lacks both directions for a round trip at least.
int64_t WireInterpreter::most_let_go() const {
    constexpr int64_t least_timeout_us = 200'000;  // TCP_RTO_MIN
    if (silence_us_ > std::max(least_timeout_us, 2 * tp_.srtt_us)) return 0;
    uint32_t segments = std::max(tp_.packets_out, WindowCandidate<Reno>::initial_cwnd);
    const auto widen = [&](const auto& window) { segments = std::max(segments, window.cwnd()); };
    widen(windows_.cubic);
    widen(windows_.reno);
    widen(windows_.bbr);
    return std::min<int64_t>(longest_hole, 2 * int64_t{segments} * tp_.mss);  // twice: in slow start
}

// What was sent up to there, heard, and lost meanwhile, and what became of the window, nobody knows.
void WireInterpreter::lose_track(Serial32 seq) {
    const int32_t window = tp_.snd_una.distance_to(tp_.wnd_end);
    kernel_.reset_queue(seq);
    tp_.wnd_end = seq + static_cast<uint32_t>(std::max(window, 0));
    begin_in_flight();
    forget_windows();
    lost_track_ = true;
}

// A hole before what is sent now: of the capture, or of what the tap saw.
void WireInterpreter::add_missed(Serial32 seq) {
    if (seq.after(tp_.snd_nxt) && tp_.snd_nxt.distance_to(seq) > most_let_go()) lose_track(seq);
    if (seq.after(tp_.snd_nxt)) add_unseen(tp_.snd_nxt, seq);
}

// Brings bytes for the first time that the replay holds for sent already: an acknowledgement, or what was sent after
// them, had shown that they were.
void WireInterpreter::fill_in(const SentSegment& segment, Serial32 begin, Serial32 end, uint64_t late_row) {
    SendQueue& queue = kernel_.queue();
    for (Index i = queue.find(begin); i != queue.end() && queue[i].begin.before(end); ++i) {
        Segment& filled = queue[i];
        if (!filled.unseen) continue;
        if (late_row != 0) filled.late = late_row;
        if (filled.end.after(end)) continue;  // its rest is to come
        filled.unseen = false;
        filled.first_packet = segment.packet;
        if (!filled.ever_retransmitted) filled.timestamp = segment.timestamp;
    }
    // Acknowledged already: whether the receiver asked for it is known.
    if (late_row != 0 && !end.after(tp_.snd_una)) journal_.classify_late(late_row, segment.asked);
}

// Retransmission.

void WireInterpreter::resend(const SentSegment& segment) {
    const Serial32 end = segment.seq + segment.length + ((segment.flags & tcp_fin) != 0 ? 1 : 0);
    if (!end.after(tp_.snd_una)) {
        // Acknowledged, as the capture has it, just before it was sent again: whatever made the sender do so, the
        // receiver had it. Or it was lost before the capture began.
        const LossKind of_lost = segment.asked ? LossKind::fast_retransmit : LossKind::rto;
        const bool lost = is_outstanding(end) && !segment.acknowledged;
        const LossKind kind = lost ? of_lost : LossKind::spurious;
        kernel_.count_retransmission_before_una();
        journal_.add(segment, segment.seq, segment.length, kind, nullptr, tp_.now_us);
        note_transmission(segment);
        return;
    }
    SendQueue& queue = kernel_.queue();
    const Index first = queue.find(segment.seq);
    if (first == queue.end()) return;
    const LossKind kind = explain_retransmission(kernel_, journal_, first);
    // Whatever made the sender do so, the receiver had it before this came.
    const LossKind told = segment.acknowledged ? LossKind::spurious : kind;
    const bool is_rest = queue[first].begin.before(segment.seq) && !end.after(queue[first].end);
    if (is_rest && queue[first].ever_retransmitted) journal_.count_rest(told);
    resend_segment(segment, first, kind);
    journal_.add(segment, segment.seq, segment.length, told, &queue[first], tp_.now_us);
    for (Index i = first + 1; i != queue.end() && queue[i].begin.before(end); ++i) {
        resend_segment(segment, i, kind);
        queue[i].loss = queue[first].loss;
    }
    const bool by_timer = kind == LossKind::tlp || kind == LossKind::rto;
    windows_.each([&](auto& window) { window.on_sent(tp_, by_timer); });
    note_transmission(segment);
}

void WireInterpreter::resend_segment(const SentSegment& segment, Index i, LossKind kind) {
    if (kind == LossKind::tlp) {
        kernel_.send_loss_probe();
    } else {
        kernel_.retransmit_skb(i, segment.timestamp);
    }
    kernel_.stamp_transmission(i, segment.timestamp);
}

// Acknowledgement.

bool WireInterpreter::on_ack(const ReceivedAck& ack) {
    set_now(ack.packet, ack.time_ns);
    if (begun_in_flight_ && (ack.flags & tcp_rst) == 0) note_heard(ack.ack);
    if (!begun_) {
        if ((ack.flags & tcp_syn) != 0) return true;
        begin_late(ack.ack);
    } else if ((ack.flags & tcp_rst) != 0) {
        return true;
    }
    const int32_t beyond = tp_.snd_nxt.distance_to(ack.ack);
    if (is_far(beyond)) return true;
    unseen_bytes_ = 0;
    if (beyond > 0 && beyond > most_let_go()) lose_track(ack.ack);
    if (ack.ack.after(tp_.snd_nxt)) add_unseen(tp_.snd_nxt, ack.ack);
    if (!sack_known_) learn_sack(ack);
    tp_.rcv_tsecr = ack.timestamp_echo;
    tp_.saw_tstamp = ack.has_timestamp && ack.timestamp_echo != 0;
    if (repeats_all(ack)) return update_by_repeated(ack);
    kernel_.ack(ack, [this] { return tsopt_rtt_us(); });
    if (!tp_.snd_wnd_known) [[unlikely]]
        unscaled_.on_ack(tp_);
    return true;
}

void WireInterpreter::on_discarded(const ReceivedAck& ack) {
    const bool dsack = tp_.sack && ack.sack_blocks > 0 && ack.sack[0].begin.before(ack.ack);
    if (dsack) journal_.on_dsack(ack.sack[0].begin, ack.sack[0].end);
}

// Where the SYNs were not captured: a receiver that may SACK says with each duplicate what it has beyond (RFC 2018 §4).
void WireInterpreter::learn_sack(const ReceivedAck& ack) {
    constexpr uint8_t enough = 3;
    if (ack.options_cut) return;
    if (ack.sack_blocks > 0) {
        sack_known_ = true;
        return;
    }
    const bool duplicate = ack.ack == tp_.snd_una && ack.payload_length == 0 && ack.window == tp_.snd_wnd &&
                           tp_.packets_out > 0 && (ack.flags & (tcp_syn | tcp_fin | tcp_rst)) == 0;
    if (!duplicate || ++plain_duplicates_ < enough) return;
    sack_known_ = true;
    tp_.sack = false;
}

// Data came, and acknowledge again what was acknowledged. Of tcp_ack() only the window and the time are left then.
bool WireInterpreter::repeats_all(const ReceivedAck& ack) const {
    return ack.payload_length > 0 && ack.ack == tp_.snd_una && ack.sack_blocks == 0 &&
           (ack.flags & (tcp_syn | tcp_ece)) == 0 && tp_.ca_state == CaState::open && tp_.packets_out > 0 &&
           tp_.sacked_out + tp_.lost_out == 0 && !kernel_.probe().out();
}

bool WireInterpreter::update_by_repeated(const ReceivedAck& ack) {
    const Serial32 wnd_end = tp_.wnd_end;
    const uint32_t snd_wnd = tp_.snd_wnd;
    const bool snd_wnd_known = tp_.snd_wnd_known;
    kernel_.ack_update_window(ack);
    bool changed = tp_.wnd_end != wnd_end || tp_.snd_wnd != snd_wnd || tp_.snd_wnd_known != snd_wnd_known;
    windows_.each([&](auto& window) { changed |= window.cong_control_without_progress(tp_); });
    return changed;
}

// What the echoed timestamp says of the round trip (RFC 7323 §4), the sender's clock ticking once a millisecond as
// Linux's does; negative if there is no saying.
int64_t WireInterpreter::tsopt_rtt_us() const {
    if (!tp_.timestamps || !tp_.saw_tstamp || !ticks_.known()) return -1;
    const int64_t rtt_ms = ticks_.since(tp_.rcv_tsecr, tp_.now_us);
    constexpr int64_t most_ms = 120'000;  // TCP_RTO_MAX
    return rtt_ms < 0 || rtt_ms > most_ms ? -1 : std::max<int64_t>(rtt_ms, 1) * TimestampTicks::tick_us;
}

}  // namespace sanscope
