// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analyzer/store/stored_rows.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// The room, bytes, below which a sender has to wait for its receiver's window to open: a segment of the connection's
// `mss`, which is no longer than half of the widest window it was offered (RFC 9293 §3.8.6.2.1; Linux's
// tcp_bound_to_half_wnd): on a loopback interface, whose segments may be as long as the window, that is the half.
// `mss` not known: no room at all.
inline uint32_t room_of_segment(uint32_t mss, uint32_t widest_window) {
    constexpr uint32_t default_mss = 536;
    if (mss == unknown<uint32_t> || mss == 0) return 1;
    return std::max(1u, std::min(mss, widest_window > default_mss ? widest_window / 2 : widest_window));
}

// The rows of `windows`, by index, at which a sender comes to a stand before a closed window: its limit is the receiver,
// whose window has less than room_of_segment(), and in the sender's row before this was not so. A window that is merely
// small and full is no stall: it moves with every acknowledgement.
std::vector<uint32_t> find_window_stalls(const StoredRows<WindowRow>& windows,
                                         const ChunkedRows<ConnectionRow>& connections);

}  // namespace sanscope
