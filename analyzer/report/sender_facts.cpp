// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/sender_facts.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "analyzer/base/log_histogram.h"
#include "analyzer/base/serial32.h"
#include "analyzer/store/send_silence.h"
#include "analyzer/store/window_stalls.h"
#include "analyzer/vocabulary/issues.h"

namespace sanscope {
namespace {

// Looked at more closely, by each of the reasons; more could not be told to anyone with ten minutes.
constexpr size_t most_by_reason = 32;
// As in the report (sender_report.cpp).
constexpr uint64_t least_bytes_without_iscsi = 100'000;
// A mean round trip this many times its minimum has a queue as long as the path, or longer.
constexpr int64_t queue_factor = 2;
// A queue is in earnest where the path has this many segments in flight half of the time: below, a delayed
// acknowledgement alone doubles a round trip.
constexpr uint32_t queue_segments = 8;
constexpr int64_t default_burst_gap_ns = 1'000'000;
constexpr double nearly_half = 0.35;  // of the bytes, copies included: of all there are two

constexpr bool is_repair(LossKind kind) {
    return kind == LossKind::fast_retransmit || kind == LossKind::rto || kind == LossKind::tlp;
}

// How long how many bytes were in flight, or in a window, told within an eighth.
class InFlight {
  public:
    // The time with less.
    double below(uint32_t bytes) const {
        double sum = 0;
        for (size_t i = 0; i < place_of(bytes); ++i) sum += times_[i];
        return sum;
    }
    void add(uint32_t bytes, int64_t ns) { times_[place_of(bytes)] += static_cast<double>(ns); }
    uint32_t quantile(double fraction) const {
        double all = 0;
        for (const double time : times_) all += time;
        double sum = 0;
        for (size_t i = 0; i < times_.size(); ++i) {
            sum += times_[i];
            if (sum > 0 && sum >= fraction * all) return value_of(i);
        }
        return 0;
    }

  private:
    static size_t place_of(uint32_t bytes) {
        if (bytes < 8) return bytes;
        const auto shift = static_cast<unsigned>(std::bit_width(bytes)) - 4;
        return (shift + 1) * 8 + ((bytes >> shift) & 7);
    }
    static uint32_t value_of(size_t place) {
        if (place < 8) return static_cast<uint32_t>(place);
        const size_t shift = place / 8 - 1;
        return static_cast<uint32_t>((8 + place % 8) << shift);
    }
    std::array<double, size_t{8} * 30> times_{};
};

// A window is what a sender waits for only where it is full but for what the sender would not send by itself: a segment and
// less than another, or what tcp_tso_should_defer() leaves unused.
bool is_full(const WindowRow& row, uint32_t mss, bool is_exact) {
    if (row.advertised_window == unknown<uint32_t>) return false;
    const int32_t outstanding = Serial32(row.snd_una).distance_to(Serial32(row.snd_nxt));
    // What was sent beyond a window shows that the sender knew of a wider one.
    if (is_exact && outstanding > 0 &&
        static_cast<uint64_t>(outstanding) > uint64_t{row.advertised_window} + mss)
        return false;
    const uint64_t left_over = std::max<uint64_t>(2 * uint64_t{mss}, row.advertised_window / 8);
    return outstanding >= 0 && static_cast<uint64_t>(outstanding) + left_over >= row.advertised_window;
}

// How fast data were acknowledged within bursts of half a flight, while some were outstanding all along.
class AckedBursts {
  public:
    void pause() { begun_ = false; }
    void on_acknowledged(const WindowRow& row) {
        if (row.snd_una == row.snd_nxt) return pause();
        // Half of what is outstanding is acknowledged well within a round trip. Of a long queue, less would be no more than
        // what acknowledgements that come close together report.
        constexpr uint32_t least = 8 * 1460;
        constexpr uint32_t most = 1024 * 1460;
        if (!begun_) {
            begun_ = true;
            begin_ = row.snd_una;
            begin_ns_ = row.time_ns;
            size_ = std::clamp((row.snd_nxt - row.snd_una) / 2, least, most);
            return;
        }
        const int32_t acknowledged = Serial32(begin_).distance_to(Serial32(row.snd_una));
        if (acknowledged < 0) return pause();
        if (static_cast<uint32_t>(acknowledged) < size_) return;
        const int64_t took_ns = std::max<int64_t>(elapsed_ns(begin_ns_, row.time_ns), 1);
        if (rates_.size() < most_rates) rates_.push_back(acknowledged * 1e9 / static_cast<double>(took_ns));
        pause();
        on_acknowledged(row);
    }
    // Three quarters of the bursts came no faster; 0 where there were few.
    double upper_rate() {
        constexpr size_t least_bursts = 8;
        if (rates_.size() < least_bursts) return 0;
        const auto at = rates_.begin() + static_cast<ptrdiff_t>(rates_.size() * 3 / 4);
        std::ranges::nth_element(rates_, at);
        return *at;
    }

  private:
    static constexpr size_t most_rates = 4096;

    bool begun_ = false;
    uint32_t begin_ = 0;
    uint32_t size_ = 0;
    int64_t begin_ns_ = 0;
    std::vector<double> rates_;
};

// Acknowledgements of data that took much longer than a round trip.
class LateAcks {
  public:
    LateAcks() = default;
    explicit LateAcks(int64_t rtt_min_ns) : rtt_min_ns_(rtt_min_ns) {}

    // Without a round trip none is late.
    bool wanted() const { return rtt_min_ns_ != no_time; }

    void on_row(const WindowRow& last, const WindowRow& row) {
        if (!wanted()) return;
        if (Serial32(last.snd_nxt).before(Serial32(row.snd_nxt))) {
            if (sent_.size() >= most_sent) sent_.pop_front();
            sent_.push_back({row.snd_nxt, row.time_ns});
        }
        const int64_t oldest_ns = sent_.empty() ? no_time : sent_.front().time_ns;
        int64_t sent_ns = no_time;
        while (!sent_.empty() && !Serial32(row.snd_una).before(Serial32(sent_.front().end))) {
            sent_ns = sent_.front().time_ns;
            sent_.pop_front();
        }
        // What was sent again is known by others.
        if (sent_ns == no_time || last.ca_state != CaState::open || row.ca_state != CaState::open) return;
        constexpr int64_t host_takes_ns = 1'000'000;
        const int64_t in_time_ns = rtt_min_ns_ + rtt_min_ns_ / 2 + host_takes_ns;
        if (elapsed_ns(oldest_ns, row.time_ns) <= in_time_ns) return;
        // An estimate of what the far end heard may be out of the capture's order.
        if (!late_.empty() && row.packet <= late_.back().packet) return;
        if (late_.size() >= most_late) {
            if (beyond_ns_ == no_time) beyond_ns_ = oldest_ns;
            last_ns_ = row.time_ns;
            return;
        }
        const int64_t took_ns = elapsed_ns(sent_ns, row.time_ns);
        if (took_ns > in_time_ns) {
            const bool answered = std::ranges::find(answers_, row.packet) != answers_.end();
            late_.push_back({sent_ns + rtt_min_ns_, row.time_ns, row.packet,
                             answered || took_ns - rtt_min_ns_ >= delayed_ack_ns});
        }
        // What was sent before the last of them may have waited on the path, or to be acknowledged with it
        // (RFC 1122 §4.2.3.2).
        if (oldest_ns < sent_ns) {
            const int64_t end_ns = took_ns > in_time_ns ? sent_ns + rtt_min_ns_ : row.time_ns;
            late_.push_back({oldest_ns + rtt_min_ns_, end_ns, row.packet, true});
        }
    }
    // The other side's data came by this packet, whose row stands before that of the acknowledgement or behind it.
    void on_answer(PacketNumber packet) {
        answers_[answers_count_++ % answers_.size()] = packet;
        const auto found = std::ranges::lower_bound(late_, packet, {}, &Late::packet);
        if (found != late_.end() && found->packet == packet) found->unproven = true;
    }
    void finish(TimeSpans& proven, TimeSpans& unproven) const {
        for (const Late& late : late_) (late.unproven ? unproven : proven).add(late.begin_ns, late.end_ns);
        unproven.add(beyond_ns_, last_ns_);
        proven.finish();
        unproven.finish();
    }

  private:
    // RFC 1122 §4.2.3.2; Linux's TCP_DELACK_MIN is 40 ms.
    static constexpr int64_t delayed_ack_ns = 35'000'000;
    static constexpr size_t most_sent = 4096;
    static constexpr size_t most_late = 16384;
    struct SentUntil {
        uint32_t end;
        int64_t time_ns;
    };
    struct Late {
        int64_t begin_ns;
        int64_t end_ns;
        PacketNumber packet;
        bool unproven;
    };

    int64_t rtt_min_ns_ = no_time;
    std::deque<SentUntil> sent_;
    std::array<PacketNumber, 256> answers_{};  // a ring
    size_t answers_count_ = 0;
    std::vector<Late> late_;       // in order of packets
    int64_t beyond_ns_ = no_time;  // since when there were too many
    int64_t last_ns_ = no_time;
};

// When packets passed the capture, as far as the rows of senders at the capture tell: their times are their packets' own.
class CaptureTimes {
  public:
    void want(PacketNumber packet) { moments_.push_back({packet}); }
    void ready() {
        std::ranges::sort(moments_, {}, &Moment::packet);
        const auto is_same = [](const Moment& a, const Moment& b) { return a.packet == b.packet; };
        moments_.erase(std::unique(moments_.begin(), moments_.end(), is_same), moments_.end());
    }
    bool empty() const { return moments_.empty(); }
    void on_packet(PacketNumber packet, int64_t time_ns) {
        const auto next = std::ranges::lower_bound(moments_, packet, {}, &Moment::packet);
        if (next != moments_.end()) next->not_before_ns = std::max(next->not_before_ns, time_ns);
        const auto after = next != moments_.end() && next->packet == packet ? std::next(next) : next;
        if (after == moments_.begin()) return;
        Moment& before = *std::prev(after);
        before.not_after_ns =
            before.not_after_ns == no_time ? time_ns : std::min(before.not_after_ns, time_ns);
    }
    void finish() {
        for (size_t i = 1; i < moments_.size(); ++i)
            moments_[i].not_before_ns = std::max(moments_[i].not_before_ns, moments_[i - 1].not_before_ns);
        for (size_t i = moments_.size(); i-- > 1;) {
            Moment& earlier = moments_[i - 1];
            if (earlier.not_after_ns == no_time) earlier.not_after_ns = moments_[i].not_after_ns;
        }
    }
    // The packet passed not before the one and not after the other; no_time where that is not known.
    std::pair<int64_t, int64_t> of(PacketNumber packet) const {
        const auto found = std::ranges::lower_bound(moments_, packet, {}, &Moment::packet);
        if (found == moments_.end() || found->packet != packet) return {no_time, no_time};
        return {found->not_before_ns, found->not_after_ns};
    }

  private:
    struct Moment {
        PacketNumber packet = 0;
        int64_t not_before_ns = no_time;
        int64_t not_after_ns = no_time;
    };
    std::vector<Moment> moments_;  // in order of packets
};

// Of a sender far from the capture: when what it sent twice passed that for the first time, by the longest stall of its
// connection.
RepeatsCame how_repeats_came(const SenderFacts& facts, const Spell& stall, const CaptureTimes& times) {
    constexpr int64_t of_a_timer_ns = 150'000'000;  // TCP_RTO_MIN is 200 ms
    if (facts.captured_at_sender() || stall.length_ns() < of_a_timer_ns) return RepeatsCame::unknown;
    const int64_t middle_ns = stall.begin_ns + stall.length_ns() / 2;
    bool held = false;
    bool in_time = false;
    for (const NeedlessRepeat& repeat : facts.repeats) {
        if (repeat.original == 0) continue;
        const int64_t not_before_ns = times.of(repeat.original).first;
        const int64_t not_after_ns = times.of(repeat.original).second;
        const int64_t again_not_before_ns = times.of(repeat.packet).first;
        // Sent again by a timer, the first must have been sent long before the two came.
        if (not_before_ns != no_time && not_before_ns > middle_ns && repeat.delay_ns >= of_a_timer_ns)
            held = true;
        const bool apart =
            not_after_ns != no_time && elapsed_ns(not_after_ns, again_not_before_ns) >= of_a_timer_ns;
        if (apart && not_after_ns <= middle_ns) in_time = true;
    }
    if (held == in_time) return RepeatsCame::unknown;
    return held ? RepeatsCame::held : RepeatsCame::in_time;
}

// The rows of one sender, as they pass.
class WindowPass {
  public:
    // `pauses`: of this sender within what it had begun to send. `jumps`: of all connections.
    WindowPass(SenderFacts& facts, std::vector<PduPause> pauses, std::span<const ClockJump> jumps)
        : facts_(&facts), pauses_(std::move(pauses)), jumps_(jumps) {
        facts.pdu_pauses = pauses_.size();
        for (TimeProfile& profile : facts.limited) {
            profile = TimeProfile(facts.connection->start_ns, facts.connection->end_ns);
        }
        facts.queued = TimeProfile(facts.connection->start_ns, facts.connection->end_ns);
        rtt_min_ns_ = facts.rtt_min_ns();
        mss_ = facts.mss();
        if (facts.busy != nullptr) busy_ = SpanWalk(*facts.busy);
        // Rows tell moments at the sender: what passed a tap at the other end did so half a round trip later.
        is_near_ = facts.captured_at_sender();
        if (!is_near_ && rtt_min_ns_ != no_time) to_tap_ns_ = rtt_min_ns_ / 2;
        flow_gap_ns_ = std::max<int64_t>(least_flow_gap_ns, rtt_min_ns_ == no_time ? 0 : rtt_min_ns_ / 4);
        if (facts.is_initiator && facts.connection->vantage != Vantage::target)
            late_acks_ = LateAcks(rtt_min_ns_);
    }

    // A row of the other side.
    void on_answer(const WindowRow& row) {
        if (!late_acks_.wanted()) return;
        if (answered_ && Serial32(answered_to_).before(Serial32(row.snd_nxt)))
            late_acks_.on_answer(row.packet);
        answered_ = true;
        answered_to_ = row.snd_nxt;
    }

    void on_row(const WindowRow& row) {
        facts_->has_windows = true;
        const int64_t passed_ns = begun_ ? elapsed_ns(last_.time_ns, row.time_ns) : 0;
        const bool jumped = passed_ns >= least_ack_wait_ns && clock_jumped(row, passed_ns);
        if (passed_ns != 0 && !jumped) pass_to(row, passed_ns);
        if (jumped || holds_jump(row, passed_ns)) [[unlikely]]
            srtt_before_jump_ns_ = last_.srtt_ns;
        const bool progress = !begun_ || row.snd_una != last_.snd_una || last_.snd_una == last_.snd_nxt;
        timeouts(row, progress);
        stalls(row);
        if (begun_) {
            if (next_repeat_ < facts_->repeats.size()) repeats_after_ack(row);
            disproved_restart(row);
            sent_after_ack_wait(row);
            if (passed_ns >= least_ack_wait_ns && !jumped) [[unlikely]]
                silence(row, passed_ns);
            flow(row);
            late_acks_.on_row(last_, row);
        }
        note_window(row);
        last_limit_ = limit_of(row);
        if (last_limit_ == SendLimit::receiver) {
            const int32_t outstanding = Serial32(row.snd_una).distance_to(Serial32(row.snd_nxt));
            facts_->widest_window = std::max(facts_->widest_window, row.advertised_window);
            // From afar both are estimates, and no more can have been under way than was offered.
            if (outstanding > 0) {
                facts_->outstanding_at_limit =
                    std::max(facts_->outstanding_at_limit,
                             std::min(static_cast<uint32_t>(outstanding), row.advertised_window));
            }
            facts_->cwnd_was_wider = facts_->cwnd_was_wider ||
                                     (row.cwnd != unknown<uint32_t> && row.cwnd >= row.advertised_window);
        }
        const int64_t latest_ns = begun_ ? std::max(last_.time_ns, row.time_ns) : row.time_ns;
        begun_ = true;
        last_ = row;
        last_.time_ns = latest_ns;  // a clock set back counts no time twice
    }

    void finish() {
        facts_->stands_still_at_end = timeout_.begin_ns != no_time;
        end_timeout(last_.time_ns);
        end_stall(last_.time_ns);
        facts_->held_back.finish();
        facts_->flowing.finish();
        facts_->timeouts.spans.finish();
        facts_->stalls.spans.finish();
        facts_->ack_waits.spans.finish();
        late_acks_.finish(facts_->late_acks, facts_->unproven_acks);
        facts_->receiver_growing_ns = static_cast<int64_t>(at_windows_.below(widest_offered_ / 3 * 2));
        facts_->receiver_rounds = rounds_;
        facts_->widest_offered = widest_offered_;
        facts_->queued_burst_rate = bursts_.upper_rate();
        facts_->in_flight_p10 = in_flight_.quantile(0.1);
        facts_->in_flight_p50 = in_flight_.quantile(0.5);
        facts_->in_flight_p90 = in_flight_.quantile(0.9);
        if (facts_->queued_ns > 0) {
            facts_->queued_srtt_ns =
                static_cast<int64_t>(srtt_times_ns_ / static_cast<double>(facts_->queued_ns));
        }
        if (!stretch_rates_.empty()) {
            std::ranges::sort(stretch_rates_);
            const double half = stretch_rates_[stretch_rates_.size() / 2];
            facts_->queued_stretches = stretch_rates_.size();
            for (const double rate : stretch_rates_)
                facts_->queued_stretches_alike += std::abs(rate - half) <= half / 4 ? 1u : 0u;
        }
        if (ack_wait_times_.count() > 0) {
            const int64_t half_ns = ack_wait_times_.percentile_ns(0.5);
            facts_->ack_wait_p50_ns = half_ns;
            for (const int64_t wait_ns : first_ack_waits_) {
                if (std::abs(wait_ns - half_ns) <= half_ns / 4) ++facts_->ack_waits_alike;
            }
        }
    }

  private:
    static constexpr int64_t least_flow_gap_ns = 200'000;
    static constexpr int64_t least_ack_wait_ns = 35'000'000;  // Linux's least is 40 ms, of others more

    SendLimit limit_of(const WindowRow& row) const {
        const bool open = row.limit == SendLimit::receiver && !is_full(row, mss_, is_near_);
        return open ? SendLimit::application : row.limit;
    }

    // So much is under way that more stands behind it in the socket. A small window, of the receiver's or for congestion,
    // has no room for many segments, and one of unknown scale may be small.
    bool is_flow(uint32_t in_flight, const WindowRow& row) const {
        const uint32_t two = 2 * mss_;
        if (row.advertised_window == unknown<uint32_t>) return in_flight >= two;
        uint32_t many = queue_segments * mss_;
        if (row.cwnd < many + two) many = row.cwnd / 2;
        if (row.advertised_window < 2 * queue_segments * mss_)
            many = std::min(many, row.advertised_window / 2);
        return in_flight >= std::max(many, two);
    }

    // What was so since the row before.
    void pass_to(const WindowRow& row, int64_t passed_ns) {
        if (is_beyond_timers(passed_ns, last_.srtt_ns, last_.in_flight, last_limit_, last_.ca_state)) {
            bursts_.pause();
            return;
        }
        // With so much under way it is busy, even if the capture hides for which command.
        const bool many_under_way = last_.in_flight >= queue_segments * mss_;
        const int64_t busy_ns = facts_->busy == nullptr || many_under_way
                                    ? passed_ns
                                    : busy_.overlap_ns(last_.time_ns + to_tap_ns_, row.time_ns + to_tap_ns_);
        facts_->busy_ns += busy_ns;
        if (last_.in_flight > 0) in_flight_.add(last_.in_flight, busy_ns);
        // What a send buffer holds waits for acknowledgements, whatever else the application has. Silence of more than two
        // round trips, or than one as long as the queue on the path makes it, is another's: an acknowledgement that is
        // delayed, or what the spells above report.
        if (is_flow(last_.in_flight, last_)) {
            const int64_t most_ns =
                std::max({2 * std::max<int64_t>(rtt_min_ns_, 0), least_flow_gap_ns, last_.srtt_ns});
            const int64_t begin_ns = last_.time_ns + to_tap_ns_;
            facts_->flowing.add(begin_ns, begin_ns + std::min(passed_ns, most_ns));
        }
        const SendLimit limit = last_limit_;
        if (limit != SendLimit::unknown) {
            if (busy_ns > 0) facts_->limited[static_cast<size_t>(limit)].add(last_.time_ns, row.time_ns);
            facts_->limited_busy_ns[static_cast<size_t>(limit)] += busy_ns;
            if (limit != SendLimit::application) facts_->held_back.add(last_.time_ns, row.time_ns);
            if (limit == SendLimit::recovery) facts_->repairs.add(last_.time_ns, row.time_ns);
            if (limit == SendLimit::receiver) before_window(row, busy_ns);
        }
        const int64_t srtt_ns = srtt_without_jump_ns();
        const bool queued =
            srtt_ns != no_time && rtt_min_ns_ != no_time && srtt_ns / queue_factor >= rtt_min_ns_;
        if (!queued || busy_ns == 0) {
            stretch_ns_ = 0;
            stretch_bytes_ = 0;
            bursts_.pause();
            return;
        }
        facts_->queued.add(last_.time_ns, row.time_ns);
        facts_->queued_ns += busy_ns;
        bursts_.on_acknowledged(row);
        srtt_times_ns_ += static_cast<double>(srtt_ns) * static_cast<double>(busy_ns);
        const int32_t acked = Serial32(last_.snd_una).distance_to(Serial32(row.snd_una));
        if (acked > 0) facts_->queued_bytes += acked;
        // Several round trips, so that bursts even out.
        constexpr int64_t least_stretch_ns = 20'000'000;
        stretch_ns_ += busy_ns;
        stretch_bytes_ += std::max(acked, 0);
        if (stretch_ns_ < std::max(least_stretch_ns, 4 * rtt_min_ns_)) return;
        constexpr size_t most_stretches = 4096;
        if (stretch_rates_.size() < most_stretches)
            stretch_rates_.push_back(stretch_bytes_ * 1e9 / static_cast<double>(stretch_ns_));
        stretch_ns_ = 0;
        stretch_bytes_ = 0;
    }

    // The widest window that was offered by now, and whether it grew noticeably.
    void note_window(const WindowRow& row) {
        if (row.advertised_window <= widest_offered_ || row.advertised_window == unknown<uint32_t>) return;
        widest_offered_ = row.advertised_window;
        if (widest_offered_ <= grown_to_ + grown_to_ / 8) return;
        grown_to_ = widest_offered_;
        rounds_ = 0;
    }
    // The receiver's window was what the sender waited for until this row.
    void before_window(const WindowRow& row, int64_t busy_ns) {
        if (last_.advertised_window < widest_offered_ / 4 * 3) {
            facts_->receiver_shrunk_ns += busy_ns;
        } else {
            at_windows_.add(widest_offered_, busy_ns);
        }
        const int64_t round_ns = rtt_min_ns_ == no_time ? default_burst_gap_ns : rtt_min_ns_;
        if (busy_ns == 0 ||
            (round_began_ns_ != no_time && elapsed_ns(round_began_ns_, row.time_ns) < round_ns))
            return;
        round_began_ns_ = row.time_ns;
        ++rounds_;
    }

    // Nothing was sent or heard since the row before.
    void silence(const WindowRow& row, int64_t silent_ns) {
        restarts(row, silent_ns);
        ack_waits(row, silent_ns);
    }

    static constexpr int64_t longest_timer_ns = 120'000'000'000;  // TCP_RTO_MAX
    // With commands under way that wait for the answer.
    int64_t first_timer_ns() const { return longest_first_timer_ns(last_.srtt_ns); }

    // Whether TCP timestamps show that most of a jump of the clock lies in the time since the row before.
    bool holds_jump(const WindowRow& row, int64_t passed_ns) const {
        if (jumps_.empty() || passed_ns < least_ack_wait_ns) return false;
        return std::ranges::any_of(jumps_, [&](const ClockJump& jump) {
            const int64_t both_ns = elapsed_ns(std::max(last_.time_ns + to_tap_ns_, jump.begin_ns),
                                               std::min(row.time_ns + to_tap_ns_, jump.end_ns));
            return jump.connection == facts_->number && 2 * both_ns > elapsed_ns(jump.begin_ns, jump.end_ns);
        });
    }
    // A round trip across a jump of the clock holds it, and the smoothed one does until it has come down again (RFC 6298 §2.3).
    int64_t srtt_without_jump_ns() {
        if (srtt_before_jump_ns_ == no_time || last_.srtt_ns == no_time) return last_.srtt_ns;
        if (last_.srtt_ns > srtt_before_jump_ns_ + (srtt_before_jump_ns_ / 4)) return srtt_before_jump_ns_;
        srtt_before_jump_ns_ = no_time;
        return last_.srtt_ns;
    }

    // Whether the time since the row before is the clock's alone, or one in which both hosts stood still.
    bool clock_jumped(const WindowRow& row, int64_t silent_ns) {
        constexpr int64_t least_silence_ns = 250'000'000;
        if (silent_ns <= least_silence_ns || last_.snd_una == last_.snd_nxt) return false;
        if (last_.srtt_ns != no_time && silent_ns / 4 >= last_.srtt_ns)
            facts_->silences.add(last_.time_ns + to_tap_ns_, row.time_ns + to_tap_ns_);
        if (silent_ns <= longest_timer_ns) {
            if (silent_ns <= first_timer_ns() || facts_->busy == nullptr) return false;
            const int64_t busy_ns = facts_->busy->overlap_ns(last_.time_ns, row.time_ns);
            if (busy_ns < silent_ns / 10 * 9) return false;
        }
        // A timer that runs out begins Loss; it would have done so in any other state.
        if (last_.ca_state == CaState::loss || row.ca_state == CaState::loss) return false;
        facts_->clock_jumps.add({last_.time_ns, row.time_ns, row.packet});
        return true;
    }

    // It stood still though the capture shows its data acknowledged, until it sent some of them again.
    void repeats_after_ack(const WindowRow& row) {
        const std::vector<NeedlessRepeat>& repeats = facts_->repeats;
        while (next_repeat_ < repeats.size() && repeats[next_repeat_].packet <= last_.packet) ++next_repeat_;
        if (next_repeat_ == repeats.size() || repeats[next_repeat_].packet > row.packet) return;
        const NeedlessRepeat& repeat = repeats[next_repeat_++];
        constexpr int64_t least_silence_ns = 100'000'000;
        const bool acknowledged = repeat.original == 0 && last_.snd_una == last_.snd_nxt;
        if (!acknowledged || facts_->busy == nullptr) return;
        const Spell silence{last_.time_ns, repeat.time_ns, repeat.packet};
        const int64_t waited_ns =
            busy_.overlap_ns(silence.begin_ns + to_tap_ns_, silence.end_ns + to_tap_ns_);
        if (silence.length_ns() < least_silence_ns || waited_ns < silence.length_ns() / 2) return;
        if (silence.length_ns() > first_timer_ns()) return;  // the clock's doing, not a timer's
        facts_->repeats_after_ack.add(silence);
    }

    void timeouts(const WindowRow& row, bool progress) {
        const bool entered = row.ca_state == CaState::loss && begun_ && last_.ca_state != CaState::loss;
        if (entered && timeout_.begin_ns == no_time) timeout_ = {progress_ns_, no_time, row.packet};
        if (!progress) return;
        // The row that shows the timeout may be one in which something was acknowledged, late.
        if (!entered) {
            if (timeout_.begin_ns != no_time && rtt_min_ns_ != no_time) {
                const int64_t answered_ns = elapsed_ns(last_.time_ns, row.time_ns);
                constexpr int64_t slack_ns = 2'000'000;
                // From afar, when it was answered is an estimate.
                const bool as_wanted = is_near_ && answered_ns >= rtt_min_ns_ / 4 * 3 &&
                                       answered_ns <= rtt_min_ns_ / 2 * 3 + slack_ns;
                if (as_wanted) ++facts_->timeouts_answered;
            }
            end_timeout(row.time_ns);
        }
        progress_ns_ = row.time_ns;
    }
    void end_timeout(int64_t time_ns) {
        if (timeout_.begin_ns == no_time) return;
        timeout_.end_ns = time_ns;
        facts_->timeouts.add(timeout_);
        timeout_ = {};
    }

    void stalls(const WindowRow& row) {
        const bool closed = row.limit == SendLimit::receiver &&
                            row.advertised_window < room_of_segment(facts_->connection->mss, widest_offered_);
        if (closed && stall_.begin_ns == no_time) stall_ = {row.time_ns, no_time, row.packet};
        if (!closed) end_stall(row.time_ns);
    }
    void end_stall(int64_t time_ns) {
        if (stall_.begin_ns == no_time) return;
        stall_.end_ns = time_ns;
        facts_->stalls.add(stall_);
        stall_ = {};
    }

    // RFC 5681 §4.1: after a retransmission timeout's time of silence, which is 200 ms at least in Linux.
    void restarts(const WindowRow& row, int64_t silent_ns) {
        constexpr int64_t least_silence_ns = 200'000'000;
        const bool sent = row.snd_nxt != last_.snd_nxt;
        const bool was_idle = last_.snd_una == last_.snd_nxt;
        if (!sent || !was_idle || silent_ns < least_silence_ns) return;
        if (last_.cwnd == unknown<uint32_t> || row.cwnd == unknown<uint32_t>) return;
        if (last_.ca_state != CaState::open || row.cwnd > last_.cwnd / 4 * 3) return;
        ++facts_->idle_restarts;
        facts_->cwnd_before_idle = std::max(facts_->cwnd_before_idle, last_.cwnd);
        facts_->cwnd_after_idle = std::min(facts_->cwnd_after_idle, row.cwnd);
        restart_ = {last_.snd_nxt, row.time_ns, row.cwnd};
    }
    // Much more than the window allows, before anything of it can have been acknowledged: the sender was not restarted
    // (tcp_slow_start_after_idle = 0).
    void disproved_restart(const WindowRow& row) {
        if (restart_.cwnd == unknown<uint32_t>) return;
        const int32_t sent = Serial32(restart_.snd_nxt).distance_to(Serial32(row.snd_nxt));
        const bool too_late = elapsed_ns(restart_.time_ns, row.time_ns) > rtt_min_ns_ / 2;
        const bool disproved =
            !too_late && sent > 0 && static_cast<uint32_t>(sent) > restart_.cwnd / 2 * 3 + 2 * mss_;
        if (disproved) ++facts_->idle_restarts_disproved;
        if (disproved || too_late) restart_ = {};
    }

    // Little outstanding, nothing but its acknowledgement after a long time, and with that at once the rest of what had begun:
    // Nagle's algorithm (RFC 9293 §3.7.4) waiting for a delayed acknowledgement (RFC 1122 §4.2.3.2). What had begun may be a
    // request: it is under way once it is whole, behind the wait.
    void ack_waits(const WindowRow& row, int64_t waited_ns) {
        constexpr int64_t longest_wait_ns = 500'000'000;
        if (waited_ns > longest_wait_ns || facts_->busy == nullptr) return;
        const int32_t outstanding = Serial32(last_.snd_una).distance_to(Serial32(last_.snd_nxt));
        const bool acknowledged = row.snd_una == row.snd_nxt && row.snd_nxt == last_.snd_nxt;
        if (outstanding <= 0 || static_cast<uint32_t>(outstanding) > 2 * mss_ || !acknowledged) return;
        if (rtt_min_ns_ != no_time && waited_ns < 4 * rtt_min_ns_) return;
        if (last_.ca_state != CaState::open || row.ca_state != CaState::open) return;
        ack_wait_ = {last_.time_ns, row.time_ns, row.packet};
        ack_wait_idle_ns_ =
            waited_ns - busy_.overlap_ns(last_.time_ns + to_tap_ns_, row.time_ns + to_tap_ns_);
        // Nor does a congestion window let go what it has no room for.
        waits_for_cwnd_ =
            last_.cwnd != unknown<uint32_t> && static_cast<uint32_t>(outstanding) + mss_ > last_.cwnd;
    }
    // The row behind such a one.
    void sent_after_ack_wait(const WindowRow& row) {
        constexpr int64_t at_once_ns = 1'000'000;
        if (ack_wait_.begin_ns == no_time) [[likely]]
            return;
        const bool sent = Serial32(last_.snd_nxt).before(Serial32(row.snd_nxt));
        const uint32_t length = row.snd_nxt - last_.snd_nxt;
        // Nagle's algorithm holds back nothing but small segments.
        const bool held = sent && (length < mss_ || waits_for_cwnd_) && goes_on(ack_wait_.packet, row.packet);
        if (held && elapsed_ns(ack_wait_.end_ns, row.time_ns) <= at_once_ns) {
            if (waits_for_cwnd_) ++facts_->ack_waits_for_cwnd;
            facts_->ack_waits.add(ack_wait_);
            facts_->ack_waits_idle_ns += ack_wait_idle_ns_;
            ack_wait_times_.add(ack_wait_.length_ns());
            if (first_ack_waits_.size() < most_ack_waits) first_ack_waits_.push_back(ack_wait_.length_ns());
        }
        ack_wait_ = {};
    }

    // What was sent behind the acknowledgement is the rest of what had begun before it. A program that has something new to
    // send each 40 ms looks just like a delayed acknowledgement otherwise.
    bool goes_on(PacketNumber acknowledged, PacketNumber sent) const {
        const auto pause = std::ranges::lower_bound(pauses_, sent, {}, &PduPause::last_packet);
        return pause != pauses_.end() && pause->first_packet < acknowledged;
    }

    void flow(const WindowRow& row) {
        if (!Serial32(last_.snd_nxt).before(Serial32(row.snd_nxt))) return;
        const int64_t at_tap_ns = row.time_ns + to_tap_ns_;
        // Behind a few segments nothing has to wait: between them the socket is empty.
        constexpr int64_t back_to_back_ns = 20'000;
        const bool flows = is_flow(std::max(last_.in_flight, row.in_flight), row);
        const int64_t gap_ns = flows ? flow_gap_ns_ : back_to_back_ns;
        if (sent_ns_ != no_time && elapsed_ns(sent_ns_, at_tap_ns) <= gap_ns)
            facts_->flowing.add(sent_ns_, at_tap_ns);
        sent_ns_ = at_tap_ns;
    }

    static constexpr size_t most_ack_waits = 4096;

    SenderFacts* facts_;
    WindowRow last_;
    SendLimit last_limit_ = SendLimit::unknown;  // limit_of() it
    bool begun_ = false;
    int64_t rtt_min_ns_ = no_time;
    int64_t to_tap_ns_ = 0;
    int64_t flow_gap_ns_ = 0;
    uint32_t mss_ = 0;
    uint32_t widest_offered_ = 0;
    bool is_near_ = false;
    size_t next_repeat_ = 0;
    uint32_t grown_to_ = 0;
    uint32_t rounds_ = 0;
    int64_t round_began_ns_ = no_time;
    InFlight at_windows_;  // time before windows, by the widest one offered by then
    int64_t progress_ns_ = no_time;
    int64_t sent_ns_ = no_time;
    double srtt_times_ns_ = 0;
    int64_t srtt_before_jump_ns_ = no_time;  // until it is as short again
    SpanWalk busy_;
    Spell timeout_;
    Spell stall_;
    struct Restart {
        uint32_t snd_nxt = 0;
        int64_t time_ns = 0;
        uint32_t cwnd = unknown<uint32_t>;  // none is awaited
    } restart_;
    Spell ack_wait_;
    int64_t ack_wait_idle_ns_ = 0;
    bool waits_for_cwnd_ = false;
    std::vector<PduPause> pauses_;  // in order of their last packets
    std::span<const ClockJump> jumps_;
    int64_t stretch_ns_ = 0;
    double stretch_bytes_ = 0;
    std::vector<double> stretch_rates_;
    LogHistogram ack_wait_times_;
    std::vector<int64_t> first_ack_waits_;
    InFlight in_flight_;
    AckedBursts bursts_;
    LateAcks late_acks_;
    bool answered_ = false;
    uint32_t answered_to_ = 0;
};

// Where the facts of a sender are, by its connection and side; mostly there are none.
class Places {
  public:
    explicit Places(size_t connections) : places_(2 * connections, 0) {}
    bool take(uint32_t connection, Side side, size_t index) {
        uint32_t& place = places_[place_of(connection, side)];
        if (place != 0) return false;
        place = static_cast<uint32_t>(index + 1);
        return true;
    }
    // SIZE_MAX where there are none.
    size_t of(uint32_t connection, Side side) const {
        if (connection == 0 || 2 * size_t{connection} > places_.size()) return SIZE_MAX;
        return size_t{places_[place_of(connection, side)]} - 1;
    }
    // Those of a side and of the other one.
    std::pair<size_t, size_t> of_both(uint32_t connection, Side side) const {
        if (connection == 0 || 2 * size_t{connection} > places_.size()) return {SIZE_MAX, SIZE_MAX};
        const size_t own = place_of(connection, side);
        return {size_t{places_[own]} - 1, size_t{places_[own ^ 1]} - 1};
    }

  private:
    static size_t place_of(uint32_t connection, Side side) {
        return 2 * size_t{connection - 1} + index_of(side);
    }
    std::vector<uint32_t> places_;
};

SenderFacts facts_of(const SenderSummary& summary, const ResultStore& store) {
    SenderFacts facts;
    facts.summary = &summary;
    facts.number = summary.connection();
    facts.connection = &store.connection(facts.number);
    facts.is_initiator = facts.connection->is_initiator(summary.side());
    for (size_t i = 0; i < loss_kinds; ++i) facts.losses[i] = summary.losses(static_cast<LossKind>(i));
    return facts;
}

// What the choice among senders rests on.
struct Candidate {
    const SenderSummary* summary;
    bool is_wanted;
    uint64_t bytes;
    uint64_t sent_again;
    int64_t held_back_ns;
};

std::vector<Candidate> candidates(const ResultStore& store, const std::vector<uint32_t>& wanted) {
    std::vector<Candidate> found;
    for (const SenderSummary& summary : store.senders()) {
        const SenderFacts facts = facts_of(summary, store);
        const bool is_wanted = std::ranges::binary_search(wanted, facts.number);
        const uint64_t bytes = facts.bytes();
        const uint64_t sent_again = facts.repaired() + facts.losses[static_cast<size_t>(LossKind::spurious)];
        const bool is_worth_showing =
            summary.windows() > 0 && (facts.connection->iscsi || bytes >= least_bytes_without_iscsi);
        if (!is_wanted && !is_worth_showing) continue;
        found.push_back({&summary, is_wanted, bytes, sent_again, facts.held_back_ns()});
    }
    return found;
}

// In the order of connections; where each stands is written into `places`.
std::vector<SenderFacts> chosen(const ResultStore& store, const std::vector<uint32_t>& wanted,
                                Places& places) {
    std::vector<Candidate> all = candidates(store, wanted);
    std::vector<const SenderSummary*> senders;
    for (const Candidate& candidate : all) {
        if (candidate.is_wanted) senders.push_back(candidate.summary);
    }
    const auto take_most = [&](auto figure) {
        const auto most = std::min(all.size(), most_by_reason);
        std::ranges::partial_sort(all, all.begin() + static_cast<ptrdiff_t>(most), std::greater(), figure);
        for (size_t i = 0; i < most; ++i) senders.push_back(all[i].summary);
    };
    take_most(&Candidate::held_back_ns);
    take_most(&Candidate::sent_again);
    take_most(&Candidate::bytes);
    std::ranges::sort(senders, {}, [](const SenderSummary* sender) {
        return std::pair(sender->connection(), sender->side() == Side::a);
    });
    std::vector<SenderFacts> result;
    for (const SenderSummary* sender : senders) {
        if (places.take(sender->connection(), sender->side(), result.size()))
            result.push_back(facts_of(*sender, store));
    }
    return result;
}

// Of losses as they come: those that follow each other closely.
struct Burst {
    Spell spell;
    uint64_t losses = 0;
};

void on_loss(SenderFacts& facts, Burst& burst, const LossRow& row) {
    const auto kind = static_cast<size_t>(row.kind);
    if (facts.losses[kind]++ == 0) facts.first_loss[kind] = row.packet;
    constexpr size_t most_repeats = 256;
    if (row.kind == LossKind::spurious && facts.repeats.size() < most_repeats)
        facts.repeats.push_back({row.original_packet, row.packet, row.time_ns, row.delay_ns});
    if (row.kind == LossKind::duplicate) facts.copied_bytes += row.length;
    if (!is_repair(row.kind)) return;
    facts.lost_bytes += row.length;
    if (row.delay_ns != no_time) {
        int64_t lost_ns = 0;
        if (!__builtin_sub_overflow(row.time_ns, row.delay_ns, &lost_ns)) {
            facts.repairs.add(lost_ns, row.time_ns);
            facts.lost.add(lost_ns, row.time_ns);
        }
    } else {
        facts.unseen_losses.add(row.time_ns, row.time_ns + 1);
    }
    const int64_t rtt_ns = facts.rtt_min_ns();
    const int64_t gap_ns = rtt_ns == no_time ? default_burst_gap_ns : rtt_ns;
    // By a clock that was set back, nobody knows how long after the one before.
    const bool set_back = elapsed_ns(row.time_ns, burst.spell.end_ns) > least_set_back_ns;
    if (burst.losses == 0 || set_back || elapsed_ns(burst.spell.end_ns, row.time_ns) > gap_ns) {
        burst = {{row.time_ns, row.time_ns, row.packet}, 0};
    }
    burst.spell.end_ns = std::max(burst.spell.end_ns, row.time_ns);
    if (++burst.losses > facts.burst_losses) {
        facts.burst_losses = burst.losses;
        facts.burst = burst.spell;
    }
}

// Of senders of one host to another: what the others sent while each was there, for they share the path.
void add_rates_beside(std::vector<SenderFacts>& facts) {
    for (SenderFacts& sender : facts) {
        const ConnectionRow& own = *sender.connection;
        const int64_t life_ns = elapsed_ns(own.start_ns, own.end_ns);
        for (const SenderFacts& other : facts) {
            const ConnectionRow& row = *other.connection;
            if (&other == &sender || other.is_initiator != sender.is_initiator) continue;
            if (row.initiator.address != own.initiator.address || row.target.address != own.target.address)
                continue;
            const int64_t both_ns =
                elapsed_ns(std::max(row.start_ns, own.start_ns), std::min(row.end_ns, own.end_ns));
            const int64_t its_life_ns = elapsed_ns(row.start_ns, row.end_ns);
            if (both_ns == 0 || its_life_ns == 0) continue;
            sender.beside_rate += static_cast<double>(other.bytes()) * 1e9 /
                                  static_cast<double>(its_life_ns) * share_of(both_ns, life_ns);
        }
    }
}

// Those that TCP timestamps show, with the connection's first sender; most of them are known by silence alone.
void add_clock_jumps(std::vector<SenderFacts>& facts, const ResultStore& store) {
    for (const ClockJump& jump : store.clock_jumps()) {
        const int64_t length_ns = elapsed_ns(jump.begin_ns, jump.end_ns);
        SenderFacts* first = nullptr;
        bool known = false;
        for (SenderFacts& sender : facts) {
            if (sender.number != jump.connection) continue;
            if (first == nullptr) first = &sender;
            sender.clock_jumps.spans.finish();
            if (2 * sender.clock_jumps.spans.overlap_ns(jump.begin_ns, jump.end_ns) < length_ns) continue;
            known = true;
            sender.clocks_stood_still =
                sender.clocks_stood_still || sender.clock_jumps.longest.packet == jump.packet;
        }
        if (known || first == nullptr) continue;
        first->clock_jumps.add({jump.begin_ns, jump.end_ns, jump.packet});
        first->clocks_stood_still = first->clock_jumps.longest.packet == jump.packet;
    }
    for (SenderFacts& sender : facts) sender.clock_jumps.spans.finish();
}

// What one sender suffers may be the loss of one packet; two that stand still at once do so because nothing comes through.
void note_who_else_stood_still(std::vector<SenderFacts>& facts) {
    constexpr int64_t longest_repeat_ns = 60'000'000'000;
    for (SenderFacts& sender : facts) {
        if (sender.timeouts.count == 0) continue;
        const Spell& longest = sender.timeouts.longest;
        for (const SenderFacts& other : facts) {
            if (&other == &sender ||
                other.connection->initiator.address != sender.connection->initiator.address ||
                other.connection->target.address != sender.connection->target.address)
                continue;
            const int64_t both_ns = other.timeouts.spans.overlap_ns(longest.begin_ns, longest.end_ns);
            // Its timer was no longer than the stall: what it sent meanwhile had come, and was sent again all the same.
            const bool repeated = std::ranges::any_of(other.repeats, [&](const NeedlessRepeat& repeat) {
                return other.number == sender.number && repeat.delay_ns != no_time &&
                       repeat.delay_ns < longest_repeat_ns && repeat.time_ns > longest.begin_ns &&
                       repeat.time_ns < longest.end_ns;
            });
            if (2 * both_ns >= longest.length_ns() || repeated) sender.others_stood_still = true;
        }
    }
}

// Commands of one kind on one connection, by whether one of its senders stood still meanwhile.
struct HeldAndFree {
    LogHistogram free;
    int64_t longest_held_ns = 0;
};

// A target that takes longer than a retransmission timer has all of its time to itself: what the timer did meanwhile delayed
// nothing. That a command which was under way then took no longer than others of its kind shows it.
void note_harmless_timeouts(std::vector<SenderFacts>& facts, const ResultStore& store, const Stop& stop) {
    std::map<uint32_t, TimeSpans> stood;
    for (SenderFacts& sender : facts) {
        if (sender.timeouts.count + sender.repeats_after_ack.count == 0) continue;
        stood[sender.number].add(sender.timeouts.spans);
        stood[sender.number].add(sender.repeats_after_ack.spans);
    }
    if (stood.empty()) return;
    for (auto& [number, spans] : stood) spans.finish();
    std::map<std::tuple<uint32_t, uint16_t, uint64_t>, HeldAndFree> kinds;
    std::map<uint32_t, TimeSpans> under_way;
    std::set<uint32_t> delayed;
    size_t row_number = 0;
    for (const CommandRow& row : store.commands()) {
        if (stop.asked_at(row_number++)) return;
        const auto found = stood.find(row.connection);
        if (found == stood.end() || row.request_ns == no_time) continue;
        const ConnectionRow& connection = store.connections()[row.connection - 1];
        const int64_t end_ns = row.response_ns == no_time ? connection.end_ns : row.response_ns;
        const bool held = found->second.overlap_ns(row.request_ns, end_ns) > 0;
        if (row.response_ns == no_time || row.inferred) {
            if (held) delayed.insert(row.connection);
            continue;
        }
        constexpr size_t most_kinds = 1024;
        const std::tuple kind(row.connection, row.opcode, row.bytes);
        if (kinds.size() >= most_kinds && !kinds.contains(kind)) {
            if (held) delayed.insert(row.connection);
            continue;
        }
        HeldAndFree& alike = kinds[kind];
        const int64_t took_ns = elapsed_ns(row.request_ns, end_ns);
        if (held) {
            alike.longest_held_ns = std::max(alike.longest_held_ns, took_ns);
            under_way[row.connection].add(row.request_ns, end_ns);
        } else {
            alike.free.add(took_ns);
        }
    }
    constexpr uint64_t least_free = 3;
    for (const auto& [kind, alike] : kinds) {
        const uint32_t connection = std::get<0>(kind);
        if (alike.longest_held_ns == 0) continue;
        const int64_t usual_ns = alike.free.percentile_ns(0.5);
        if (alike.free.count() < least_free || alike.longest_held_ns > usual_ns + usual_ns / 8)
            delayed.insert(connection);
    }
    for (auto& [number, spans] : under_way) spans.finish();
    for (SenderFacts& sender : facts) {
        const auto found = under_way.find(sender.number);
        if (found == under_way.end() || delayed.contains(sender.number)) continue;
        // An answer that stands in the path behind the tap has ended its command for the capture, not for the initiator.
        if (!sender.is_initiator && sender.connection->vantage != Vantage::initiator) continue;
        // What began when all was over was not there to be delayed.
        int64_t stood_ns = 0;
        int64_t covered_ns = 0;
        for (const Spells* spells : {&sender.timeouts, &sender.repeats_after_ack}) {
            stood_ns += spells->total_ns;
            spells->spans.for_each([&](int64_t begin_ns, int64_t end_ns) {
                covered_ns += found->second.overlap_ns(begin_ns, end_ns);
            });
        }
        sender.delayed_no_command = stood_ns > 0 && covered_ns >= stood_ns / 4 * 3;
    }
}

}  // namespace

void Spells::add(const Spell& spell) {
    if (spell.length_ns() == 0) return;
    ++count;
    total_ns += spell.length_ns();
    spans.add(spell.begin_ns, spell.end_ns);
    if (spell.length_ns() > longest.length_ns()) longest = spell;
}

bool SenderFacts::is_bulk() const {
    constexpr uint64_t least_bulk = 500'000;  // some hundred segments
    return bytes() >= least_bulk;
}

bool SenderFacts::queues_on_path() const {
    return has_windows && is_bulk() && queued_share() >= 0.5 && in_flight_p50 >= queue_segments * mss();
}

double SenderFacts::rate() const {
    return judged_ns() > 0 ? static_cast<double>(bytes()) * 1e9 / static_cast<double>(judged_ns()) : 0;
}

int64_t SenderFacts::loaded_rtt_ns() const {
    return has_bottleneck() ? std::max(queued_srtt_ns, rtt_min_ns()) : rtt_min_ns();
}

bool SenderFacts::is_half_captured() const {
    return connection->packets_out == 0 || connection->packets_in == 0;
}

bool SenderFacts::is_not_judged() const {
    return is_half_captured() || !connection->tcp_is_judged();
}

bool SenderFacts::is_all_twice() const {
    constexpr uint64_t least_copies = 10;
    const uint64_t copies = losses[static_cast<size_t>(LossKind::duplicate)];
    const uint64_t needless = losses[static_cast<size_t>(LossKind::spurious)];
    // So late, it is none (RFC 6298 §2.4).
    const uint64_t again = repaired() - losses[static_cast<size_t>(LossKind::rto)] + needless;
    // Each one has its copy, what was sent again too.
    constexpr double nearly_all = 0.9;
    if (2 * static_cast<double>(copied_bytes) >= nearly_all * static_cast<double>(captured_bytes()))
        return false;
    // Farther apart than a round trip all of the copies look needless. A TCP that sends half of its data so is in Loss for it.
    constexpr uint64_t many = 100;
    if (needless >= many && needless >= 9 * repaired() && summary->in_state_ns(CaState::loss) == 0) {
        return static_cast<double>(copies + again) * mss() >=
               nearly_half * static_cast<double>(captured_bytes());
    }
    // Where nearly all copies are known, what is left was sent again.
    if (copies < least_copies || 4 * again < copies) return false;
    return static_cast<double>(copies + again) * mss() >= nearly_half * static_cast<double>(captured_bytes());
}

bool SenderFacts::is_mirrored() const {
    const uint64_t copies = losses[static_cast<size_t>(LossKind::duplicate)];
    return copies > 0 &&
           static_cast<double>(copies) * mss() >= nearly_half * static_cast<double>(captured_bytes());
}

bool SenderFacts::captured_at_sender() const {
    return connection->vantage == (is_initiator ? Vantage::initiator : Vantage::target);
}

bool SenderFacts::has_bottleneck() const {
    constexpr uint64_t least_stretches = 16;
    // Any port that somebody would call slow: not a link of 1 Gbit/s that is nearly full, nor a host at its limit.
    constexpr double slow_link = 50e6;
    constexpr int64_t least_queue_ns = 1'000'000;
    if (!queues_on_path() || queued_srtt_ns - rtt_min_ns() < least_queue_ns) return false;
    if (queued_rate() <= 0 || queued_rate() >= slow_link) return false;
    // A burst that came faster than all that the path is said to carry shows that it carries more.
    constexpr double clearly_faster = 1.3;
    if (queued_burst_rate > clearly_faster * (queued_rate() + beside_rate)) return false;
    return queued_stretches >= least_stretches && 3 * queued_stretches_alike >= 2 * queued_stretches;
}

double SenderFacts::queued_rate() const {
    return queued_ns > 0 ? queued_bytes * 1e9 / static_cast<double>(queued_ns) : 0;
}

uint64_t SenderFacts::repaired() const {
    uint64_t sum = 0;
    for (size_t i = 0; i < loss_kinds; ++i) {
        if (is_repair(static_cast<LossKind>(i))) sum += losses[i];
    }
    return sum;
}

int64_t SenderFacts::held_back_ns() const {
    return limited_ns(SendLimit::receiver) + limited_ns(SendLimit::congestion) +
           limited_ns(SendLimit::pacing) + limited_ns(SendLimit::recovery);
}

int64_t SenderFacts::rtt_min_ns() const {
    const int64_t of_connection_ns = connection->rtt_min_ns;
    int64_t least_ns = summary->rtt_min_ns() != no_time ? summary->rtt_min_ns() : of_connection_ns;
    // From afar it is reckoned by what echoes and acknowledgements tell, and may come out too small. Both sides have one path,
    // whose round trip the capture itself shows.
    if (!captured_at_sender() && of_connection_ns != no_time) least_ns = std::max(least_ns, of_connection_ns);
    return least_ns == no_time ? no_time : round_trip_ns(least_ns);
}

uint32_t SenderFacts::mss() const {
    constexpr uint32_t usual = 1460;
    return connection->mss == unknown<uint32_t> || connection->mss == 0 ? usual : connection->mss;
}

bool SenderFacts::mss_is_agreed() const {
    const bool known = connection->mss != unknown<uint32_t> && connection->mss != 0;
    return known && connection->out.syns > 0 && connection->in.syns > 0;
}

std::string SenderFacts::name() const {
    const Endpoint& end = connection->endpoint(summary->side());
    const std::string_view role = !connection->iscsi ? "host " : is_initiator ? "initiator " : "target ";
    return std::string(role) + format_endpoint(end.address, end.port);
}

std::string SenderFacts::other_name() const {
    const Endpoint& end = connection->endpoint(other_side(summary->side()));
    const std::string_view role = !connection->iscsi ? "host " : is_initiator ? "target " : "initiator ";
    return std::string(role) + format_endpoint(end.address, end.port);
}

std::string SenderFacts::queue_title(double bytes_per_second) const {
    return fmt::format("Data of {} queued on the path at {}: round-trip time {} under load, {} without",
                       name(), human_rate(bytes_per_second), human_duration(queued_srtt_ns),
                       human_duration(rtt_min_ns()));
}

std::string SenderFacts::queue_sign() const {
    return fmt::format("the smoothed round-trip time (SRTT) was {} on average, the minimum {}",
                       human_duration(queued_srtt_ns), human_duration(rtt_min_ns()));
}

Finding SenderFacts::finding(Finding::Kind kind, Finding::Severity severity) const {
    Finding finding;
    finding.kind = kind;
    finding.severity = severity;
    finding.connection = number;
    finding.session = connection->session;
    finding.sender = is_initiator ? Finding::Sender::initiator : Finding::Sender::target;
    return finding;
}

std::vector<SenderFacts> find_sender_facts(const ResultStore& store, const std::vector<uint32_t>& wanted,
                                           const std::vector<TimeSpans>& busy, const Stop& stop) {
    Places places(store.connections().size());
    std::vector<SenderFacts> facts = chosen(store, wanted, places);
    for (SenderFacts& sender : facts) {
        if (sender.number <= busy.size() && !busy[sender.number - 1].empty())
            sender.busy = &busy[sender.number - 1];
    }

    if (!store.losses().empty()) {
        for (SenderFacts& sender : facts) sender.losses = {};
        std::vector<Burst> bursts(facts.size());
        size_t row_number = 0;
        for (const LossRow& row : store.losses()) {
            if (stop.asked_at(row_number++)) return {};
            const size_t place = places.of(row.connection, row.sender);
            if (place < facts.size()) on_loss(facts[place], bursts[place], row);
        }
    }
    for (const CaTransitionRow& row : store.ca_transitions()) {
        const size_t place = places.of(row.connection, row.sender);
        if (place < facts.size() && row.to == CaState::cwr && std::string_view(row.cause) == "ECN echo") {
            ++facts[place].ecn_reductions;
        }
        if (place < facts.size() && row.to == CaState::disorder) ++facts[place].disorders;
        if (place < facts.size() && row.from == CaState::disorder && row.to == CaState::open)
            ++facts[place].holes_that_filled;
    }
    CaptureTimes capture_times;
    for (SenderFacts& sender : facts) {
        std::ranges::sort(sender.repeats, {}, &NeedlessRepeat::packet);
        for (const NeedlessRepeat& repeat : sender.repeats) {
            if (sender.captured_at_sender() || repeat.original == 0) continue;
            capture_times.want(repeat.original);
            capture_times.want(repeat.packet);
        }
    }
    capture_times.ready();
    std::vector<WindowPass> passes;
    passes.reserve(facts.size());
    for (SenderFacts& sender : facts) {
        passes.emplace_back(
            sender,
            store.pdu_pauses().of(sender.number, sender.is_initiator ? Role::initiator : Role::target),
            store.clock_jumps());
    }
    const StoredRows<WindowRow>& windows = store.windows();
    size_t row_number = 0;
    const bool times_wanted = !capture_times.empty();
    bool stopped = false;
    windows.for_each_run([&](std::span<const WindowRow> rows, size_t) {
        for (const WindowRow& row : rows) {
            stopped = stopped || stop.asked_at(row_number++);
            if (stopped) return;
            const auto [place, other] = places.of_both(row.connection, row.sender);
            if (place < passes.size()) passes[place].on_row(row);
            if (times_wanted && place < facts.size() && facts[place].captured_at_sender())
                capture_times.on_packet(row.packet, row.time_ns);
            if (other < passes.size()) passes[other].on_answer(row);
        }
    });
    if (stopped) return {};
    for (WindowPass& pass : passes) pass.finish();
    capture_times.finish();
    for (SenderFacts& sender : facts) {
        Spell stall = sender.timeouts.longest;
        const size_t other = places.of(sender.number, other_side(sender.summary->side()));
        if (other < facts.size() && facts[other].timeouts.longest.length_ns() > stall.length_ns())
            stall = facts[other].timeouts.longest;
        sender.repeats_came = how_repeats_came(sender, stall, capture_times);
    }
    for (SenderFacts& sender : facts) {
        sender.repairs.finish();
        sender.lost.finish();
        sender.unseen_losses.finish();
        sender.silences.finish();
    }
    add_clock_jumps(facts, store);
    add_rates_beside(facts);
    note_who_else_stood_still(facts);
    note_harmless_timeouts(facts, store, stop);
    return facts;
}

}  // namespace sanscope
