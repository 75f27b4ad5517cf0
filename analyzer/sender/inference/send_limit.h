// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/sender/kernel/sender_state.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// What keeps a sender from sending more at a moment. `cwnd`: the estimate, segments; `wanted`: how many segments would
// go next; `more_waiting`: its last segment was not the end of what the application had written; `paced`: by BBR.
SendLimit send_limit(const SenderState& state, uint32_t cwnd, uint32_t wanted, bool more_waiting, bool paced);

}  // namespace sanscope
