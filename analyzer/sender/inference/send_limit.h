// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/sender/kernel/sender_state.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// Whether it went beyond the right edge of the window, which no sender does (RFC 9293 §3.8.6): acknowledgements that moved the
// edge were not captured. By a little it seems to where the moments at the sender are estimated.
bool is_beyond_window(const SenderState& state);

// What keeps a sender from sending more at a moment. `cwnd`: the estimate, segments; `wanted`: how many segments would go
// next; `room_wanted`: for fewer the receiver's window is what holds it back; `more_waiting`: its last segment was not the end of
// what the application had written; `paced`: by BBR. Not known of one that is_beyond_window().
SendLimit send_limit(const SenderState& state, uint32_t cwnd, uint32_t wanted, uint32_t room_wanted,
                     bool more_waiting, bool paced);

// Of a sender that had more to send, and room for it in the window as estimated from afar: that may be too wide. `least_cwnd`: the low
// end of the estimate, segments.
SendLimit limit_despite_room(const SenderState& state, uint32_t least_cwnd, uint32_t wanted);

}  // namespace sanscope
