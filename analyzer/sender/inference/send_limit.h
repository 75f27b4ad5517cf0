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
// next; `room_wanted`: for fewer the receiver's window is what holds it back; `has_more`: its last segment was hardly the end of
// what the application had written; `paced`: by BBR. Not known of one that is_beyond_window().
SendLimit send_limit(const SenderState& state, uint32_t cwnd, uint32_t wanted, uint32_t room_wanted,
                     bool has_more, bool paced);

// Of a sender whose last segment was hardly the end of what the application had written, and that had room for more in its window as
// estimated, which may be too wide. `least_cwnd`: the low end of the estimate, segments; `stopped_at`: how many were in flight
// when it last stopped, which its window allows at least; `surely`: that segment was not the end.
SendLimit limit_despite_room(const SenderState& state, uint32_t least_cwnd, uint32_t wanted,
                             uint32_t stopped_at, bool surely);
// The same, of an estimate by what the other end saw, which is not as good.
SendLimit limit_despite_room_afar(const SenderState& state, uint32_t least_cwnd, uint32_t wanted,
                                  bool surely);

}  // namespace sanscope
