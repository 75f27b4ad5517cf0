// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/candidates/cubic.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sanscope {
namespace {

constexpr uint64_t beta_scale = 1024;
constexpr uint64_t beta = 717;            // what is left of cwnd, of beta_scale: 0.7
constexpr uint64_t cubic_scale = 410;     // C = 0.4 a second cubed, of 1024, at a round trip of 100 ms
constexpr unsigned time_scale_bits = 10;  // times within the cubic are in 1/1024 s
constexpr uint64_t reno_scale = 8 * (beta_scale + beta) / 3 / (beta_scale - beta);

constexpr uint32_t hystart_low_window = 16;
constexpr int64_t hystart_ack_spacing_us = 2000;
constexpr uint8_t hystart_samples = 8;
constexpr int64_t hystart_least_increase_us = 4000;
constexpr int64_t hystart_most_increase_us = 16000;
constexpr int64_t gso_max_bytes = 65536;

}  // namespace

void Cubic::init(const SenderState& state, Window& /*window*/) {
    hystart_reset(state);
}

void Cubic::hystart_reset(const SenderState& state) {
    round_begin_us_ = state.now_us;
    last_close_ack_us_ = state.now_us;
    round_end_ = state.snd_nxt;
    round_rtt_us_ = std::numeric_limits<int64_t>::max();
    samples_ = 0;
}

void Cubic::pkts_acked(const SenderState& state, Window& window, int64_t rtt_us) {
    if (rtt_us < 0) return;
    // Right after a recovery, delays are those of the recovery.
    if (epoch_tick_ != no_epoch && tick(state.now_us) - epoch_tick_ < hz) return;
    const int64_t delay_us = std::max<int64_t>(rtt_us, 1);
    if (delay_min_us_ == 0 || delay_min_us_ > delay_us) delay_min_us_ = delay_us;
    if (!exit_found_ && window.in_slow_start()) hystart_update(state, window, delay_us);
}

// hystart_update() of tcp_cubic.c: slow start ends where a train of acknowledgements lasts as long as half the least
// round trip, or where the round trips of a round have grown.
void Cubic::hystart_update(const SenderState& state, Window& window, int64_t delay_us) {
    if (state.snd_una.after(round_end_)) hystart_reset(state);
    if (window.cwnd < hystart_low_window) return;
    if (state.now_us - last_close_ack_us_ <= hystart_ack_spacing_us) {
        last_close_ack_us_ = state.now_us;
        // The pacing rate of slow start is twice cwnd a round trip; the cushion is four of the largest bursts at it.
        const uint64_t rate = state.srtt_us == 0 ? 0
                                                 : uint64_t{2} * window.cwnd * state.mss * 1'000'000 /
                                                       static_cast<uint64_t>(state.srtt_us);
        const int64_t cushion_us =
            rate == 0 ? 0
                      : std::min<int64_t>(1000, static_cast<int64_t>(gso_max_bytes * 4 * 1'000'000 / rate));
        if (state.now_us - round_begin_us_ > (delay_min_us_ + cushion_us) / 2) {
            exit_found_ = true;
            window.ssthresh = window.cwnd;
        }
    }
    round_rtt_us_ = std::min(round_rtt_us_, delay_us);
    if (samples_ < hystart_samples) {
        ++samples_;
    } else if (round_rtt_us_ > delay_min_us_ + std::clamp(delay_min_us_ >> 3, hystart_least_increase_us,
                                                          hystart_most_increase_us)) {
        exit_found_ = true;
        window.ssthresh = window.cwnd;
    }
}

void Cubic::cong_avoid(const SenderState& state, Window& window, uint32_t acked) {
    if (window.in_slow_start()) {
        acked = window.slow_start(acked);
        if (acked == 0) return;
    }
    update(state, window.cwnd, acked);
    window.cong_avoid_ai(segments_per_growth_, acked);
}

void Cubic::begin_epoch(int64_t now, uint32_t cwnd, uint32_t acked) {
    epoch_tick_ = now;
    acked_ = acked;
    reno_cwnd_ = cwnd;
    if (last_max_cwnd_ <= cwnd) {
        k_ = 0;
        origin_cwnd_ = cwnd;
        return;
    }
    const double factor =
        std::ldexp(1.0, 10 + 3 * static_cast<int>(time_scale_bits)) / static_cast<double>(cubic_scale);
    k_ = static_cast<uint64_t>(std::cbrt(factor * (last_max_cwnd_ - cwnd)));
    origin_cwnd_ = last_max_cwnd_;
}

// bictcp_update(): where the cubic wants cwnd to be a least round trip from now decides how fast it grows.
void Cubic::update(const SenderState& state, uint32_t cwnd, uint32_t acked) {
    const int64_t now = tick(state.now_us);
    acked_ += acked;
    if (last_cwnd_ == cwnd && now - last_tick_ <= hz / 32) return;
    if (epoch_tick_ == no_epoch || now != last_tick_) {
        last_cwnd_ = cwnd;
        last_tick_ = now;
        if (epoch_tick_ == no_epoch) begin_epoch(now, cwnd, acked);

        const int64_t ticks =
            std::max<int64_t>(0, now - epoch_tick_) + (delay_min_us_ * hz + 999'999) / 1'000'000;
        const uint64_t t = (static_cast<uint64_t>(ticks) << time_scale_bits) / static_cast<uint64_t>(hz);
        const uint64_t offset = std::min<uint64_t>(t < k_ ? k_ - t : t - k_, 1u << 17);
        const uint64_t delta = (cubic_scale * offset * offset * offset) >> (10 + 3 * time_scale_bits);
        const int64_t target = t < k_ ? static_cast<int64_t>(origin_cwnd_) - static_cast<int64_t>(delta)
                                      : static_cast<int64_t>(origin_cwnd_) + static_cast<int64_t>(delta);
        segments_per_growth_ =
            target > int64_t{cwnd} ? static_cast<uint32_t>(cwnd / (target - cwnd)) : 100 * cwnd;
        if (last_max_cwnd_ == 0) segments_per_growth_ = std::min(segments_per_growth_, 20u);
    }
    tcp_friendliness(cwnd);
    segments_per_growth_ = std::max(segments_per_growth_, 2u);
}

void Cubic::tcp_friendliness(uint32_t cwnd) {
    const uint32_t acked_a_growth = static_cast<uint32_t>((uint64_t{cwnd} * reno_scale) >> 3);
    if (acked_a_growth > 0 && acked_ > acked_a_growth) {
        const uint32_t more = (acked_ - 1) / acked_a_growth;
        acked_ -= more * acked_a_growth;
        reno_cwnd_ += more;
    }
    if (reno_cwnd_ > cwnd) segments_per_growth_ = std::min(segments_per_growth_, cwnd / (reno_cwnd_ - cwnd));
}

uint32_t Cubic::ssthresh(const Window& window) {
    epoch_tick_ = no_epoch;
    const uint64_t cwnd = window.cwnd;
    // Fast convergence: a flow whose windows shrink makes room.
    last_max_cwnd_ =
        static_cast<uint32_t>(cwnd < last_max_cwnd_ ? cwnd * (beta_scale + beta) / (2 * beta_scale) : cwnd);
    return std::max(static_cast<uint32_t>(cwnd * beta / beta_scale), 2u);
}

void Cubic::set_state(const SenderState& state, CaState /*to*/) {
    const int64_t phase_us = phase_us_;
    *this = Cubic();
    phase_us_ = phase_us;
    hystart_reset(state);
}

void Cubic::cwnd_event(const SenderState& state, Window& /*window*/, CwndEvent /*event*/) {
    if (epoch_tick_ == no_epoch) return;
    const int64_t now = tick(state.now_us);
    const int64_t idle = now - tick(state.last_sent_us);
    if (idle > 0) epoch_tick_ = std::min(epoch_tick_ + idle, now);
}

}  // namespace sanscope
