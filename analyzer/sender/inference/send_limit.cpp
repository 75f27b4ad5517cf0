// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/inference/send_limit.h"

#include <algorithm>

namespace sanscope {

bool is_beyond_window(const SenderState& state) {
    constexpr int64_t most_segments = 4;
    const int64_t beyond = state.wnd_end.distance_to(state.snd_nxt);
    return state.snd_wnd_known && beyond > std::max<int64_t>(state.snd_wnd / 4, most_segments * state.mss);
}

namespace {

// Linux's segments are no larger than half of the widest window it was offered (tcp_bound_to_half_wnd), which on a loopback
// interface is less than the MSS.
int64_t largest_segment(const SenderState& state) {
    constexpr uint32_t least_window = 536;  // TCP_MSS_DEFAULT: smaller ones are not halved
    if (state.max_window == 0) return state.mss;
    return std::min(state.mss, state.max_window > least_window ? state.max_window / 2 : state.max_window);
}

}  // namespace

SendLimit send_limit(const SenderState& state, uint32_t cwnd, uint32_t wanted, uint32_t room_wanted,
                     bool has_more, bool paced) {
    if (is_beyond_window(state)) return SendLimit::unknown;
    const uint32_t in_flight = state.in_flight();
    if (state.packets_out > 0 && in_flight + wanted > cwnd) {
        const bool repairing = state.ca_state == CaState::recovery || state.ca_state == CaState::loss;
        return repairing ? SendLimit::recovery : SendLimit::congestion;
    }
    const int64_t receiver_room = state.snd_nxt.distance_to(state.wnd_end);
    if (state.snd_wnd_known && receiver_room < room_wanted * largest_segment(state))
        return SendLimit::receiver;
    if (paced && has_more && state.packets_out > 0) return SendLimit::pacing;
    return SendLimit::application;
}

SendLimit limit_despite_room(const SenderState& state, uint32_t least_cwnd, uint32_t wanted,
                             uint32_t stopped_at, bool surely) {
    const uint32_t in_flight = state.in_flight();
    // Chosen, by what kernels told of their windows: so far off, an estimate at the sender hardly ever is.
    const bool has_much_room = in_flight <= 2 * least_cwnd / 3;
    const bool less_than_before = in_flight + wanted <= stopped_at;
    return !surely && (has_much_room || less_than_before) ? SendLimit::application : SendLimit::unknown;
}

SendLimit limit_despite_room_afar(const SenderState& state, uint32_t least_cwnd, uint32_t wanted,
                                  bool surely) {
    const uint32_t in_flight = state.in_flight();
    if (in_flight + wanted > least_cwnd) return SendLimit::congestion;
    // Chosen by captures of both ends.
    constexpr uint32_t most_too_wide = 4;
    return !surely && in_flight < least_cwnd / most_too_wide ? SendLimit::application : SendLimit::unknown;
}

}  // namespace sanscope
