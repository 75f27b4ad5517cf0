// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <concepts>
#include <cstdint>

#include "analyzer/sender/kernel/congestion_window.h"
#include "analyzer/sender/kernel/rate_sample.h"
#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {

// enum tcp_ca_event, as far as the congestion controls here listen to it.
enum class CwndEvent : uint8_t {
    tx_start,  // CA_EVENT_TX_START: data are sent and nothing was in flight
};

// A congestion control as Linux sees one: struct tcp_congestion_ops. It is compiled into the CwndControl around it, so
// that a call costs nothing. Which of the last two it has decides who sets cwnd, as tcp_cong_control() does: itself
// with each acknowledgement, or Linux by cong_avoid() and proportional rate reduction.
template <class Ops>
concept CongestionOps = requires(Ops ops, const SenderState& tp, Window& window, const AckSample& sample) {
    // The connection is established, or its capture begins; `window` is the initial one.
    ops.init(tp, window);
    // The slow start threshold that a loss makes of cwnd.
    { ops.ssthresh(window) } -> std::same_as<uint32_t>;
    // TCP_CA_Loss is entered; other states are of no interest to any of them.
    ops.set_state(tp, CaState::loss);
    ops.cwnd_event(tp, window, CwndEvent::tx_start);
    // What an undone reduction makes of cwnd and of its own variables. `prior_cwnd`: from before the reduction.
    { ops.undo_cwnd(window, uint32_t{}) } -> std::same_as<uint32_t>;
};

// tcp_is_cong_control_full(): with cong_control().
template <class Ops>
concept SetsCwndItself = CongestionOps<Ops> &&
    requires(Ops ops, const SenderState& tp, Window& window, const AckSample& sample) {
    ops.cong_control(tp, window, sample);
    // The same for an acknowledgement of nothing new; true if cwnd or ssthresh has changed.
    { ops.cong_control_without_progress(tp, window) } -> std::same_as<bool>;
};

// With cong_avoid().
template <class Ops>
concept GrowsCwnd = CongestionOps<Ops> && requires(Ops ops, const SenderState& tp, Window& window) {
    ops.cong_avoid(tp, window, uint32_t{});
    // `rtt_us`: of the last segment acknowledged; negative if there was no valid sample.
    ops.pkts_acked(tp, window, int64_t{});
};

}  // namespace sanscope
