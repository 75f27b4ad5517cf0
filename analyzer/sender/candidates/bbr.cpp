// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/candidates/bbr.h"

#include <algorithm>

namespace sanscope {
namespace {

constexpr unsigned bandwidth_bits = 24;
constexpr uint64_t bandwidth_unit = uint64_t{1} << bandwidth_bits;
constexpr unsigned gain_bits = 8;
constexpr uint32_t unit = 1u << gain_bits;
constexpr uint32_t high_gain = unit * 2885 / 1000 + 1;  // 2 / ln 2
constexpr uint32_t drain_gain = unit * 1000 / 2885;
constexpr uint32_t steady_cwnd_gain = unit * 2;
constexpr std::array<uint32_t, 8> cycle_gains = {unit * 5 / 4, unit * 3 / 4, unit, unit,
                                                 unit,         unit,         unit, unit};

constexpr uint32_t bandwidth_rounds = cycle_gains.size() + 2;
constexpr int64_t probe_rtt_us = 200'000;
constexpr uint32_t initial_cwnd = 10;
constexpr uint32_t rounds_without_growth = 3;
constexpr uint32_t extra_acked_rounds = 5;
constexpr int64_t most_extra_acked_us = 100'000;
constexpr uint32_t epoch_acked_limit = 1u << 20;
constexpr uint64_t most_at_once = 65535 - 320;  // bytes of one burst

}  // namespace

void Bbr::init(const SenderState& state, Window& window) {
    window.ssthresh = Window::infinite_ssthresh;
    next_round_delivered_ = state.delivered;
    min_rtt_us_ = state.min_rtt_us == SenderState::no_min_rtt ? no_min_rtt : state.min_rtt_us;
    min_rtt_stamp_us_ = state.now_us;
    bandwidth_.reset(0, 0);
    epoch_us_ = state.now_us;
    pacing_gain_ = high_gain;
    cwnd_gain_ = high_gain;
    rtt_seen_ = state.srtt_us != 0;
    const uint64_t rtt_us = rtt_seen_ ? static_cast<uint64_t>(state.srtt_us) : 1000;
    pacing_bytes_a_second_ = pacing_rate(state, window.cwnd * bandwidth_unit / rtt_us, high_gain);
}

// bbr_save_cwnd().
void Bbr::save_cwnd(const Window& window) {
    if (prior_state_ < CaState::recovery && mode_ != Mode::probe_rtt) {
        prior_cwnd_ = window.cwnd;
    } else {
        prior_cwnd_ = std::max(prior_cwnd_, window.cwnd);
    }
}

uint32_t Bbr::ssthresh(const Window& window) {
    save_cwnd(window);
    return window.ssthresh;
}

void Bbr::set_state(const SenderState& /*state*/, CaState /*to*/) {
    prior_state_ = CaState::loss;
    full_bandwidth_ = 0;
    round_start_ = true;
}

uint32_t Bbr::undo_cwnd(const Window& window, uint32_t /*prior_cwnd*/) {
    full_bandwidth_ = 0;
    full_bandwidth_count_ = 0;
    return window.cwnd;
}

void Bbr::cwnd_event(const SenderState& state, Window& window, CwndEvent /*event*/) {
    if (!state.app_limited) return;
    idle_restart_ = true;
    epoch_us_ = state.now_us;
    epoch_acked_ = 0;
    if (mode_ == Mode::probe_bw) {
        pacing_bytes_a_second_ = pacing_rate(state, bandwidth(), unit);
    } else if (mode_ == Mode::probe_rtt) {
        end_probe_rtt(state, window);
    }
}

int64_t Bbr::pacing_gap_us(uint64_t bytes) const {
    return pacing_bytes_a_second_ == 0 ? 0 : static_cast<int64_t>(bytes * 1'000'000 / pacing_bytes_a_second_);
}

uint64_t Bbr::most_within(const SenderState& state, int64_t duration_us) const {
    const uint64_t by_rate =
        pacing_bytes_a_second_ * static_cast<uint64_t>(duration_us) / 1'000'000 / state.mss;
    return uint64_t{burst_goal(state)} + by_rate;
}

// bbr_bw_to_pacing_rate().
uint64_t Bbr::pacing_rate(const SenderState& state, uint64_t bandwidth, uint32_t gain) const {
    constexpr uint64_t margin_percent = 1;
    const uint64_t bytes = (bandwidth * state.mss * gain) >> gain_bits;
    return (bytes * (1'000'000 / 100 * (100 - margin_percent))) >> bandwidth_bits;
}

// bbr_set_pacing_rate().
void Bbr::set_pacing_rate(const SenderState& state, const Window& window) {
    if (!rtt_seen_ && state.srtt_us != 0) {
        rtt_seen_ = true;
        const auto rtt_us = static_cast<uint64_t>(state.srtt_us);
        pacing_bytes_a_second_ = pacing_rate(state, window.cwnd * bandwidth_unit / rtt_us, high_gain);
    }
    const uint64_t rate = pacing_rate(state, bandwidth(), pacing_gain_);
    if (full_pipe_ || rate > pacing_bytes_a_second_) pacing_bytes_a_second_ = rate;
}

// bbr_tso_segs_goal().
uint32_t Bbr::burst_goal(const SenderState& state, uint64_t bytes_a_second) {
    constexpr uint64_t slow = 1'200'000 / 8;
    const uint32_t least = bytes_a_second < slow ? 1 : 2;
    const auto segments = static_cast<uint32_t>(std::min(bytes_a_second >> 10, most_at_once) / state.mss);
    return std::min(std::max(segments, least), 127u);
}

// bbr_bdp().
uint32_t Bbr::bdp(uint64_t bandwidth, uint32_t gain) const {
    if (min_rtt_us_ == no_min_rtt) return initial_cwnd;
    const uint64_t product = bandwidth * static_cast<uint64_t>(min_rtt_us_);
    return static_cast<uint32_t>((((product * gain) >> gain_bits) + bandwidth_unit - 1) / bandwidth_unit);
}

// bbr_quantization_budget(): room for a burst in each of: the sending host, the network, the receiver's
// acknowledgements.
uint32_t Bbr::with_room_for_bursts(const SenderState& state, uint32_t cwnd) const {
    cwnd += 3 * burst_goal(state);
    cwnd = (cwnd + 1) & ~1u;
    return mode_ == Mode::probe_bw && cycle_ == 0 ? cwnd + 2 : cwnd;
}

Bbr::Range Bbr::over_the_cycle(const SenderState& state, const Window& window) const {
    if (mode_ != Mode::probe_bw || conserving_ || state.ca_state >= CaState::recovery)
        return {window.cwnd, window.cwnd};
    constexpr uint32_t bonus = 2;  // of the phase that probes
    const auto bursts = [&](uint32_t gain) {
        return 3 * burst_goal(state, pacing_rate(state, bandwidth(), gain));
    };
    return {std::min(window.cwnd, std::max(target_without_bursts_ + bursts(cycle_gains[1]), least_cwnd)),
            std::max(window.cwnd, (target_without_bursts_ + bursts(cycle_gains[0]) + 1 + bonus) & ~1u)};
}

uint32_t Bbr::short_of_path(const SenderState& state, uint32_t cwnd) const {
    if (min_rtt_us_ >= state.least_rtt_us - state.least_rtt_us / 8) return 0;
    const auto product = [&](int64_t rtt_us) {
        const uint64_t us = static_cast<uint64_t>(std::clamp<int64_t>(rtt_us, 0, 2 * most_extra_acked_us));
        return static_cast<uint32_t>(std::min<uint64_t>(bandwidth() * us / bandwidth_unit, 1u << 20));
    };
    const uint32_t path = 2 * product(state.least_rtt_us - min_rtt_us_);
    const uint32_t held_up = std::min(product(state.srtt_us - state.least_rtt_us), cwnd);
    return path + std::max(held_up, cwnd / 4);
}

// bbr_inflight().
uint32_t Bbr::inflight(const SenderState& state, uint64_t bandwidth, uint32_t gain) const {
    return with_room_for_bursts(state, bdp(bandwidth, gain));
}

void Bbr::cong_control(const SenderState& state, Window& window, const AckSample& sample) {
    update_bandwidth(state, sample);
    update_aggregation(sample, window, state.delivered_us);
    update_cycle(state, sample);
    look_for_full_pipe(sample);
    if (mode_ == Mode::drain || (mode_ == Mode::startup && full_pipe_)) look_for_drained(state, window);
    update_min_rtt(state, window, sample);
    set_gains();
    set_pacing_rate(state, window);
    set_cwnd(state, window, sample);
}

bool Bbr::cong_control_without_progress(const SenderState& state, Window& window) {
    const Window before = window;
    AckSample sample;
    sample.prior_in_flight = state.in_flight();
    round_start_ = false;
    update_cycle(state, sample);
    if (mode_ == Mode::drain || (mode_ == Mode::startup && full_pipe_)) look_for_drained(state, window);
    update_min_rtt(state, window, sample);
    set_gains();
    set_pacing_rate(state, window);
    if (mode_ == Mode::probe_rtt) window.cwnd = std::min(window.cwnd, least_cwnd);
    return window.cwnd != before.cwnd || window.ssthresh != before.ssthresh;
}

// bbr_update_bw().
void Bbr::update_bandwidth(const SenderState& state, const AckSample& sample) {
    round_start_ = false;
    if (sample.rate.delivered < 0 || sample.rate.interval_us <= 0) return;
    if (static_cast<int32_t>(sample.rate.prior_delivered - next_round_delivered_) >= 0) {
        next_round_delivered_ = state.delivered;
        ++round_;
        round_start_ = true;
        conserving_ = false;
    }
    const uint64_t rate = static_cast<uint64_t>(sample.rate.delivered) * bandwidth_unit /
                          static_cast<uint64_t>(sample.rate.interval_us);
    const bool limited = is_application_limited(sample.rate);
    if (!limited && round_ > bandwidth_rounds) measured_ = true;
    if (!limited || rate >= bandwidth()) bandwidth_.add(bandwidth_rounds, round_, rate);
}

// bbr_update_ack_aggregation(): how much more came acknowledged at once than the bandwidth explains.
void Bbr::update_aggregation(const AckSample& sample, const Window& window, int64_t delivered_us) {
    if (sample.delivered == 0 || sample.rate.delivered < 0 || sample.rate.interval_us <= 0) return;
    if (round_start_) {
        extra_acked_rounds_ = std::min(31u, extra_acked_rounds_ + 1);
        if (extra_acked_rounds_ >= extra_acked_rounds) {
            extra_acked_rounds_ = 0;
            extra_acked_slot_ ^= 1;
            extra_acked_[extra_acked_slot_] = 0;
        }
    }
    const auto epoch_us = static_cast<uint64_t>(std::max<int64_t>(0, delivered_us - epoch_us_));
    auto expected =
        static_cast<uint32_t>(std::min<uint64_t>(bandwidth() * epoch_us / bandwidth_unit, UINT32_MAX));
    if (epoch_acked_ <= expected || epoch_acked_ + sample.delivered >= epoch_acked_limit) {
        epoch_acked_ = 0;
        epoch_us_ = delivered_us;
        expected = 0;
    }
    epoch_acked_ = std::min(epoch_acked_limit - 1, epoch_acked_ + sample.delivered);
    const uint32_t extra = std::min(epoch_acked_ - expected, window.cwnd);
    extra_acked_[extra_acked_slot_] = std::max(extra_acked_[extra_acked_slot_], extra);
}

// bbr_update_cycle_phase() and bbr_is_next_cycle_phase().
void Bbr::update_cycle(const SenderState& state, const AckSample& sample) {
    if (mode_ != Mode::probe_bw) return;
    const bool full_length = state.delivered_us - cycle_us_ > min_rtt_us_;
    bool next = full_length;
    if (pacing_gain_ > unit) {
        next = full_length && (sample.lost > 0 || sample.prior_in_flight + burst_goal(state) >=
                                                      inflight(state, bandwidth(), pacing_gain_));
    } else if (pacing_gain_ < unit) {
        next = full_length || sample.prior_in_flight <= inflight(state, bandwidth(), unit);
    }
    if (next) advance_cycle(state.delivered_us);
}

// bbr_advance_cycle_phase().
void Bbr::advance_cycle(int64_t now_us) {
    cycle_ = (cycle_ + 1) % cycle_gains.size();
    cycle_us_ = now_us;
}

// bbr_reset_probe_bw_mode().
void Bbr::begin_cycle(int64_t now_us) {
    mode_ = Mode::probe_bw;
    cycle_ = cycle_gains.size() - 1;
    advance_cycle(now_us);
}

// bbr_check_full_bw_reached().
void Bbr::look_for_full_pipe(const AckSample& sample) {
    if (full_pipe_ || !round_start_ || is_application_limited(sample.rate)) return;
    if (bandwidth() >= full_bandwidth_ * 5 / 4) {
        full_bandwidth_ = bandwidth();
        full_bandwidth_count_ = 0;
        return;
    }
    full_pipe_ = ++full_bandwidth_count_ >= rounds_without_growth;
}

// bbr_check_drain().
void Bbr::look_for_drained(const SenderState& state, Window& window) {
    if (mode_ == Mode::startup && full_pipe_) {
        mode_ = Mode::drain;
        window.ssthresh = inflight(state, bandwidth(), unit);
    }
    if (mode_ == Mode::drain && state.in_flight() <= inflight(state, bandwidth(), unit))
        begin_cycle(state.delivered_us);
}

// bbr_update_min_rtt().
void Bbr::update_min_rtt(const SenderState& state, Window& window, const AckSample& sample) {
    const bool expired = state.now_us > min_rtt_stamp_us_ + min_rtt_window_us;
    if (sample.rtt_us >= 0 && (sample.rtt_us < min_rtt_us_ || expired)) {
        min_rtt_us_ = sample.rtt_us;
        min_rtt_stamp_us_ = state.now_us;
    }
    if (expired && !idle_restart_ && mode_ != Mode::probe_rtt) {
        mode_ = Mode::probe_rtt;
        save_cwnd(window);
        probe_rtt_done_us_ = 0;
    }
    if (mode_ == Mode::probe_rtt) {
        if (probe_rtt_done_us_ == 0 && state.in_flight() <= least_cwnd) {
            probe_rtt_done_us_ = state.now_us + probe_rtt_us;
            probe_rtt_round_done_ = false;
            next_round_delivered_ = state.delivered;
        } else if (probe_rtt_done_us_ != 0) {
            if (round_start_) probe_rtt_round_done_ = true;
            if (probe_rtt_round_done_) end_probe_rtt(state, window);
        }
    }
    if (sample.rate.delivered > 0) idle_restart_ = false;
}

// bbr_check_probe_rtt_done().
void Bbr::end_probe_rtt(const SenderState& state, Window& window) {
    if (probe_rtt_done_us_ == 0 || state.now_us <= probe_rtt_done_us_) return;
    min_rtt_stamp_us_ = state.now_us;
    window.cwnd = std::max(window.cwnd, prior_cwnd_);
    if (full_pipe_) {
        begin_cycle(state.delivered_us);
    } else {
        mode_ = Mode::startup;
    }
}

// bbr_update_gains().
void Bbr::set_gains() {
    switch (mode_) {
        case Mode::startup:
            pacing_gain_ = high_gain;
            cwnd_gain_ = high_gain;
            break;
        case Mode::drain:
            pacing_gain_ = drain_gain;
            cwnd_gain_ = high_gain;
            break;
        case Mode::probe_bw:
            pacing_gain_ = cycle_gains[cycle_];
            cwnd_gain_ = steady_cwnd_gain;
            break;
        case Mode::probe_rtt:
            pacing_gain_ = unit;
            cwnd_gain_ = unit;
            break;
    }
}

// bbr_set_cwnd() and bbr_set_cwnd_to_recover_or_restore().
void Bbr::set_cwnd(const SenderState& state, Window& window, const AckSample& sample) {
    uint32_t cwnd = window.cwnd;
    const uint32_t acked = sample.delivered;
    if (acked > 0) {
        if (sample.lost > 0) cwnd = cwnd > sample.lost ? cwnd - sample.lost : 1;
        if (state.ca_state == CaState::recovery && prior_state_ != CaState::recovery) {
            conserving_ = true;
            next_round_delivered_ = state.delivered;
            cwnd = state.in_flight() + acked;
        } else if (prior_state_ >= CaState::recovery && state.ca_state < CaState::recovery) {
            cwnd = std::max(cwnd, prior_cwnd_);
            conserving_ = false;
        }
        prior_state_ = state.ca_state;
        if (conserving_) {
            cwnd = std::max(cwnd, state.in_flight() + acked);
        } else {
            uint32_t target = bdp(bandwidth(), cwnd_gain_);
            if (full_pipe_) {
                const auto most = static_cast<uint32_t>(bandwidth() * most_extra_acked_us / bandwidth_unit);
                target += std::min(most, std::max(extra_acked_[0], extra_acked_[1]));
            }
            target_without_bursts_ = target;
            target = with_room_for_bursts(state, target);
            if (full_pipe_) {
                cwnd = std::min(cwnd + acked, target);
            } else if (cwnd < target || state.delivered < initial_cwnd) {
                cwnd += acked;
            }
            cwnd = std::max(cwnd, least_cwnd);
        }
    }
    window.cwnd = mode_ == Mode::probe_rtt ? std::min(cwnd, least_cwnd) : cwnd;
}

}  // namespace sanscope
