// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/sender_replay.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analyzer/net/decoded_packet.h"
#include "analyzer/sender/candidates/cc_classifier.h"
#include "analyzer/sender/candidates/pace_record.h"
#include "analyzer/sender/candidates/paced_candidate.h"
#include "analyzer/sender/candidates/window_estimate.h"
#include "analyzer/sender/inference/send_limit.h"
#include "analyzer/sender/inference/wire_interpreter.h"
#include "analyzer/sender/kernel/paws.h"

namespace sanscope {

class SenderReplay::Machine {
  public:
    Machine(ResultStore& store, SendBudget& budget, uint32_t connection, Side from,
            const SenderOptions& options, const CaptureClock* clock)
        : log_(store, connection, from, clock),
          wire_(log_, budget, options),
          classifier_(options.estimated),
          estimated_(options.estimated) {
        log_.set_mss(options.mss);
    }

    void on_sent(const SentSegment& segment) {
        if (!deferred_.empty() && segment.time_ns - last_sent_ns_ > writing_gap_ns) take_deferred();
        if (is_event(segment)) send(segment);
        if (!deferred_.empty() && !more_waiting_) take_deferred();
    }

    void on_ack(const ReceivedAck& ack) {
        if (more_waiting_ && is_writing(ack.time_ns) && deferred_.size() < max_deferred) {
            deferred_.push_back(ack);
            return;
        }
        if (!deferred_.empty()) take_deferred();
        hear(ack);
    }

    void on_duplicate(const SentSegment& segment) {
        log_.loss(LossKind::duplicate, segment, segment.time_ns, segment.seq, segment.length);
    }

    // A row a segment.
    void on_missing(const SentHistory::Missing& missing) {
        SentSegment shown;
        shown.packet = missing.packet;
        const uint32_t piece = wire_.state().mss;
        for (Serial32 seq = missing.begin; seq.before(missing.end); seq += piece) {
            const auto left = static_cast<uint32_t>(seq.distance_to(missing.end));
            log_.loss(LossKind::not_captured, shown, missing.time_ns, seq, std::min(piece, left));
        }
    }

    void share_gaps_with(Machine& other) { other_ = &other; }

    int64_t room() const {
        const WindowCandidates& windows = wire_.windows();
        if (!wire_.begun() || windows.cubic.is_late()) return unknown_room;
        const uint32_t cwnd = chosen_window(windows, chosen_).cwnd;
        return int64_t{cwnd} - wire_.state().in_flight();
    }

    void note_flight_at_most(int64_t bytes) {
        const auto segments = static_cast<uint32_t>(std::min<int64_t>(bytes / wire_.state().mss, UINT16_MAX));
        wire_.windows().each([&](auto& window) {
            if constexpr (requires { window.note_flight_at_most(segments); })
                window.note_flight_at_most(segments);
        });
    }

    void note_least_rtt(int64_t ns) { wire_.note_least_rtt(ns / 1000); }

    const SenderSummary& summary() const { return log_.summary(); }

    void finish() {
        take_deferred();
        end_burst();
        flush();
        const WindowCandidates& windows = wire_.windows();
        log_.summary().set_congestion_control(classifier_.name(
            mismatch_of(windows), rtt_floor_us(), windows.cubic.growth(), windows.reno.growth()));
        if (rtt_floor_us() != 0) log_.summary().set_rtt_min(rtt_floor_us() * 1000);
    }

  private:
    // Segments closer together than this were sent at one go.
    static constexpr int64_t burst_gap_ns = 1'000'000;
    // So soon after an acknowledgement, it is that which let the burst go.
    static constexpr int64_t clocked_within_ns = 40'000;
    // A write hands down its segments with no longer pauses.
    static constexpr int64_t writing_gap_ns = 100'000;
    static constexpr int64_t near_rtt_us = 300;
    // Chosen: an application that writes when it likes is seldom on BBR's pace so often.
    static constexpr uint32_t enough_paced_steps = 3;
    static constexpr size_t max_deferred = 256;

    // Whether the application, which has more, is in the midst of a write: a window has room for it. What arrives
    // meanwhile waits for the end of the write (the socket's backlog). Matters where that takes longer than a round
    // trip.
    bool is_writing(int64_t now_ns) const {
        const SenderState& state = wire_.state();
        if (estimated_ || state.min_rtt_us > near_rtt_us) return false;
        if (now_ns - last_sent_ns_ > writing_gap_ns) return false;
        const uint32_t burst = wire_.windows().cubic.burst_segments(state);
        return state.in_flight() + burst <= wire_.windows().cubic.cwnd() &&
               state.snd_nxt.distance_to(state.wnd_end) >= static_cast<int64_t>(burst) * state.mss;
    }

    void take_deferred() {
        for (const ReceivedAck& ack : deferred_) hear(ack);
        deferred_.clear();
    }

    static bool occupies(const SentSegment& segment) {
        return segment.length > 0 || (segment.flags & (tcp_syn | tcp_fin)) != 0;
    }
    // A pure acknowledgement is none, unless it keeps the connection alive.
    bool is_event(const SentSegment& segment) const {
        return occupies(segment) || segment.seq + 1 == wire_.state().snd_nxt;
    }

    [[gnu::noinline]] void send(const SentSegment& segment) {
        const bool new_data = segment.length > 0 && wire_.begun() &&
                              (segment.seq + segment.length).after(wire_.state().snd_nxt);
        if (burst_ && segment.time_ns - last_sent_ns_ > burst_gap_ns) end_burst();
        if (new_data && !burst_) begin_burst(segment);
        wire_.on_sent(segment);
        if (wire_.take_lost_track()) [[unlikely]]
            on_gap();
        if (new_data) {
            acks_missing_ = acks_missing_ || is_beyond_window(wire_.state());
            more_waiting_ = (segment.flags & (tcp_psh | tcp_fin)) == 0 && segment.length >= wire_.state().mss;
            const uint32_t mss = wire_.state().mss;
            last_was_full_ = segment.length == mss || (segment.length > mss && segment.length % mss == 0);
            last_sent_ns_ = segment.time_ns;
            stopped_at_ = wire_.state().in_flight();
        }
        sent_new_ = new_data;
        if (occupies(segment)) write(segment.packet, segment.time_ns, true);
    }

    void hear(const ReceivedAck& ack) {
        // A remote tap has the acknowledgements in the order in which they were given.
        if (!estimated_ && paws_.discards(ack, wire_.state())) [[unlikely]]
            return wire_.on_discarded(ack);
        if (wire_.carries_nothing_new(ack)) {
            wire_.take_sequence(ack);
        } else {
            take(ack);
        }
    }

    // Apart from hear(), which most often has nothing to do.
    [[gnu::noinline]] void take(const ReceivedAck& ack) {
        end_burst();
        last_ack_ns_ = ack.time_ns;
        const bool changed = wire_.on_ack(ack) || stale_;
        if (wire_.take_lost_track()) [[unlikely]]
            on_gap();
        if (changed || !held_) {
            write(ack.packet, ack.time_ns, false);
        } else {
            repeat(ack.packet, ack.time_ns);
        }
    }

    int64_t rtt_floor_us() const {
        return wire_.state().min_rtt_us == SenderState::no_min_rtt ? 0 : wire_.state().min_rtt_us;
    }

    void begin_burst(const SentSegment& segment) {
        const SenderState& state = wire_.state();
        burst_ = true;
        clocked_ = segment.time_ns - last_ack_ns_ < clocked_within_ns;
        if (state.in_flight() > 0) {
            classifier_.on_burst(clocked_);
            const uint64_t last_burst_bytes = uint64_t{last_burst_segments_} * state.mss;
            const int64_t pacing_us = wire_.windows().bbr.pacing_gap_us(last_burst_bytes);
            const PacedCandidate* other = wire_.windows().other_bbr.get();
            const int64_t other_us = other != nullptr ? other->pacing_gap_us(last_burst_bytes) : pacing_us;
            if (!clocked_)
                classifier_.on_pause((segment.time_ns - burst_begin_ns_) / 1000, pacing_us, other_us);
        }
        burst_begin_ns_ = segment.time_ns;
        burst_packets_before_ = state.packets_out;
        in_flight_before_ = state.in_flight();
        pause_ns_ = segment.time_ns - last_sent_ns_;
    }

    void end_burst() {
        if (!burst_ && !more_waiting_) return;
        stale_ = true;
        const SenderState& state = wire_.state();
        BurstEnd end;
        end.sent = burst_;
        end.more_waiting = more_waiting_;
        end.clocked = clocked_;
        end.estimated = estimated_;
        end.receiver_may_hold = wire_.unscaled_window().may_be_full(
            state, int64_t{wire_.windows().cubic.burst_segments(state) + 1} * state.mss);
        end.in_flight_before = in_flight_before_;
        end.duration_us = (last_sent_ns_ - burst_begin_ns_) / 1000;
        end.segments = burst_ ? state.packets_out - burst_packets_before_ : 0;
        end.pause_us = pause_ns_ / 1000;
        if (burst_) last_burst_segments_ = end.segments;
        burst_ = false;
        const WindowCandidates& windows = wire_.windows();
        const int64_t receiver_room = state.snd_nxt.distance_to(state.wnd_end);
        if (end.sent && end.more_waiting &&
            receiver_room >= int64_t{windows.cubic.burst_segments(state) + 1} * state.mss) {
            classifier_.on_stop(state, windows.cubic.ends_here(state, end),
                                windows.reno.ends_here(state, end));
        }
        end.explained = windows.cubic.explains_stop(state, end) || windows.reno.explains_stop(state, end);
        wire_.windows().each([&](auto& window) { window.on_burst_end(state, end); });
        if (end.sent) wire_.windows().recent_flight.on_burst_end(state, end.more_waiting);
        if (end.sent && state.ca_state == CaState::open) classifier_.on_burst_end(state);
        wire_.windows().choose_phase();
        wire_.windows().doubt_application_limit(state);
        if (wire_.windows().choose_bbr(classifier_.pauses_as_other())) classifier_.swap_paces();
        chosen_ = classifier_.best(mismatch_of(windows), rtt_floor_us());
    }

    void write(PacketNumber packet, int64_t time_ns, bool sent) {
        if (!wire_.begun()) return;
        if (held_) release(time_ns, sent);
        fill(*held_row_, packet, time_ns);
        held_sent_ = sent;
        held_ = true;
        repeats_ = false;
        stale_ = false;
    }
    // The same as write(), if nothing is another than for the row that waits, and an acknowledgement came.
    void repeat(PacketNumber packet, int64_t time_ns) {
        if (!repeats_) {
            flush();
            *held_row_ = *written_row_;
        }
        held_row_->packet = packet;
        held_row_->time_ns = time_ns;
        held_sent_ = false;
        held_ = true;
        repeats_ = true;
    }

    void fill(WindowRow& row, PacketNumber packet, int64_t time_ns) {
        const SenderState& state = wire_.state();
        const WindowEstimate estimate =
            log_.keeps_intervals() ? estimate_window(wire_.windows(), state, classifier_, chosen_, estimated_)
                                   : chosen_window(wire_.windows(), chosen_);
        row.packet = packet;
        row.time_ns = time_ns;
        row.snd_una = state.snd_una.value;
        row.snd_nxt = state.snd_nxt.value;
        const auto outstanding = static_cast<uint32_t>(state.snd_una.distance_to(state.snd_nxt));
        row.in_flight = std::min(state.in_flight() * state.mss, outstanding);
        row.cwnd = estimate.cwnd * state.mss;
        row.cwnd_low = estimate.low * state.mss;
        row.cwnd_high = estimate.high * state.mss;
        const bool reduced = estimate.ssthresh < Window::infinite_ssthresh;
        row.ssthresh = reduced ? estimate.ssthresh * state.mss : unknown<uint32_t>;
        row.advertised_window = state.snd_wnd_known ? state.snd_wnd : unknown<uint32_t>;
        row.srtt_ns = state.srtt_us != 0 ? state.srtt_us * 1000 : no_time;
        row.ca_state = state.ca_state;
        const bool paced = chosen_ == CcClassifier::Control::bbr;
        // With more to send, the burst that the sender waits to make whole: PSH is set on the last segment of each, but
        // what an application wrote ends with a full one seldom.
        const uint32_t burst =
            std::max(std::min(wire_.windows().cubic.burst_segments(state), estimate.cwnd / 3), 1u);
        const bool has_more = more_waiting_ || last_was_full_;
        has_more_ = has_more;
        const uint32_t wanted = has_more ? burst : 1;
        // The last segment that a window has room for is seldom a full one, and what is known of it from afar no closer than to a burst.
        const uint32_t room_wanted = estimated_ ? burst : wanted;
        row.limit = send_limit(state, estimate.cwnd, wanted, room_wanted, has_more, paced);
        has_room_ = row.limit == SendLimit::application;
        if (has_room_ && has_more && state.packets_out > 0) {
            const uint32_t low = least_window(estimate);
            const bool open = state.ca_state == CaState::open;  // else the window may have become smaller
            row.limit = estimated_
                            ? limit_despite_room_afar(state, low, wanted, more_waiting_)
                            : limit_despite_room(state, low, wanted, open ? stopped_at_ : 0, more_waiting_);
        }
        paced_until_ns_ = has_room_ && has_more && state.packets_out > 0 ? paced_until_ns() : 0;
        const bool paces = paced_steps_ >= enough_paced_steps && time_ns <= paced_until_ns_;
        if (row.limit == SendLimit::application && paces) row.limit = SendLimit::unknown;
        const bool had_nothing = row.limit == SendLimit::application || row.limit == SendLimit::pacing;
        if (had_nothing && wire_.unscaled_window().may_be_full(state, int64_t{room_wanted} * state.mss)) {
            row.limit = SendLimit::unknown;
        }
        if (acks_missing_) forget_window(row);
        const WindowCandidates& windows = wire_.windows();
        if (windows.of_chosen(chosen_, [](const auto& window) { return window.threshold_is_unknown(); }))
            row.ssthresh = unknown<uint32_t>;
        if (windows.of_chosen(chosen_, [](const auto& window) { return window.is_unknown(); }))
            forget_late_window(row);
    }

    // The window is at least the estimate: where there is room in that, there was some; where there is none, it may have been full.
    static void forget_late_window(WindowRow& row) {
        row.cwnd = row.cwnd_low = row.cwnd_high = unknown<uint32_t>;
        if (row.limit == SendLimit::congestion || row.limit == SendLimit::pacing)
            row.limit = SendLimit::unknown;
    }

    void on_gap() {
        forget_gap();
        if (other_ == nullptr) return;
        other_->wire_.forget_windows();
        other_->forget_gap();
        other_->stale_ = true;
    }

    // The row that waits would hold for the whole gap.
    void forget_gap() {
        if (!held_) return;
        clear_window(*held_row_);
        held_row_->limit = SendLimit::unknown;
        has_room_ = false;
    }

    // Until when BBR, which may be the sender's though it is not shown, may wait after the last burst. 0: it may not be.
    int64_t paced_until_ns() const {
        const SenderState& state = wire_.state();
        const WindowCandidates& windows = wire_.windows();
        if (estimated_ || !classifier_.is_possible(CcClassifier::Control::bbr, chosen_, mismatch_of(windows),
                                                   rtt_floor_us()))
            return 0;
        const uint32_t segments = burst_ ? state.packets_out - burst_packets_before_ : last_burst_segments_;
        const uint64_t bytes = uint64_t{segments} * state.mss;
        int64_t wait_us = windows.bbr.pacing_gap_us(bytes);
        if (windows.other_bbr) wait_us = std::max(wait_us, windows.other_bbr->pacing_gap_us(bytes));
        return burst_begin_ns_ + PaceRecord::latest_us(wait_us) * 1000;
    }

    uint32_t least_window(const WindowEstimate& estimate) const {
        if (log_.keeps_intervals()) return estimate.low_but_for_flight;
        return estimate_window(wire_.windows(), wire_.state(), classifier_, chosen_, estimated_)
            .low_but_for_flight;
    }

    static void clear_window(WindowRow& row) {
        row.cwnd = row.cwnd_low = row.cwnd_high = row.ssthresh = unknown<uint32_t>;
    }
    // What unseen acknowledgements did to the window, nobody knows; what they left unsaid, the next one says.
    static void forget_window(WindowRow& row) {
        clear_window(row);
        const bool by_receiver_or_application =
            row.limit == SendLimit::receiver || row.limit == SendLimit::application;
        if (!by_receiver_or_application) row.limit = SendLimit::unknown;
    }

    // A row waits for the next: what an acknowledgement has made room for is often sent at once, and then it was not
    // the application that held the sender back in between. Where more is sent that no acknowledgement made room for, there was
    // room before.
    void release(int64_t next_ns, bool next_sent) {
        const bool at_once = next_sent && !held_sent_ && next_ns - held_row_->time_ns < clocked_within_ns;
        if (at_once && held_row_->limit == SendLimit::application) held_row_->limit = last_limit_;
        const bool by_itself = next_sent && sent_new_ && !at_once;
        if (by_itself && has_room_ && !estimated_ && !acks_missing_) {
            const bool in_time = next_ns <= paced_until_ns_;
            const bool writing = next_ns - held_row_->time_ns <= writing_gap_ns;
            if (!writing) {
                paced_steps_ = in_time ? paced_steps_ + 1 : 0;
                whole_steps_ = has_more_ ? whole_steps_ + 1 : 0;
            }
            const bool paces = in_time && paced_steps_ >= enough_paced_steps;
            // What an application writes ends with a full segment seldom: a rate that was set for it holds it back, or a queue
            // (SO_MAX_PACING_RATE, fq).
            const bool rests = !writing && whole_steps_ >= enough_paced_steps;
            held_row_->limit = paces || rests ? SendLimit::unknown : SendLimit::application;
        }
        flush();
    }

    void flush() {
        if (!held_) return;
        held_ = false;
        last_limit_ = held_row_->limit;
        if (!moves(*held_row_, *written_row_)) return;
        log_.window(*held_row_);
        std::swap(held_row_, written_row_);
    }

    static bool moves(const WindowRow& row, const WindowRow& written) {
        return row.snd_una != written.snd_una || row.snd_nxt != written.snd_nxt ||
               row.in_flight != written.in_flight || row.cwnd != written.cwnd ||
               row.ssthresh != written.ssthresh || row.srtt_ns != written.srtt_ns ||
               row.advertised_window != written.advertised_window || row.ca_state != written.ca_state ||
               row.limit != written.limit;
    }

    SenderLog log_;
    WireInterpreter wire_;
    Paws paws_;
    CcClassifier classifier_;
    Machine* other_ = nullptr;
    CcClassifier::Control chosen_ = CcClassifier::Control::cubic;
    bool estimated_;
    bool burst_ = false;
    bool last_was_full_ = false;  // the last new segment
    bool more_waiting_ = false;   // surely: the last segment was full, and not the end of what was written
    bool clocked_ = false;
    int64_t last_sent_ns_ = 0;
    int64_t last_ack_ns_ = 0;
    int64_t pause_ns_ = 0;
    int64_t burst_begin_ns_ = 0;
    uint32_t burst_packets_before_ = 0;
    uint32_t last_burst_segments_ = 0;
    uint32_t in_flight_before_ = 0;
    uint32_t stopped_at_ = 0;  // segments in flight after the last new one
    bool held_ = false;
    bool held_sent_ = false;
    uint32_t whole_steps_ = 0;  // the same, each after a full segment
    uint32_t paced_steps_ = 0;  // new data in a row that no acknowledgement released, as BBR would send them
    int64_t paced_until_ns_ = 0;  // of the row that waits: until then BBR may have held it back; 0: it cannot
    bool has_room_ = false;       // the window as estimated, of the row that waits
    bool has_more_ = false;  // its last segment was hardly the end of what was written, of the row that waits
    bool sent_new_ = false;  // the last segment sent carried new data
    bool repeats_ = false;   // the row that waits says what the one before said
    bool acks_missing_ = false;  // the sender went on by some that were not captured
    bool stale_ = false;         // something changed since the last one was made
    WindowRow rows_[2] = {log_.window_row(), log_.window_row()};
    WindowRow* held_row_ = &rows_[0];
    WindowRow* written_row_ = &rows_[1];  // the last that was
    std::vector<ReceivedAck> deferred_;
    SendLimit last_limit_ = SendLimit::application;
};

SenderReplay::SenderReplay(ResultStore& store, SendBudget& budget, uint32_t connection, Side from,
                           const SenderOptions& options, const CaptureClock* clock)
    : machine_(std::make_unique<Machine>(store, budget, connection, from, options, clock)) {}
SenderReplay::~SenderReplay() = default;
void SenderReplay::on_sent(const SentSegment& segment) {
    machine_->on_sent(segment);
}
void SenderReplay::on_ack(const ReceivedAck& ack) {
    machine_->on_ack(ack);
}
void SenderReplay::on_duplicate(const SentSegment& segment) {
    machine_->on_duplicate(segment);
}
void SenderReplay::on_missing(const SentHistory::Missing& missing) {
    machine_->on_missing(missing);
}
int64_t SenderReplay::room() const {
    return machine_->room();
}
void SenderReplay::note_flight_at_most(int64_t bytes) {
    machine_->note_flight_at_most(bytes);
}
void SenderReplay::note_least_rtt(int64_t ns) {
    machine_->note_least_rtt(ns);
}
void SenderReplay::share_gaps_with(SenderReplay& other) {
    machine_->share_gaps_with(*other.machine_);
}
const SenderSummary& SenderReplay::summary() const {
    return machine_->summary();
}
void SenderReplay::finish() {
    machine_->finish();
}

}  // namespace sanscope
