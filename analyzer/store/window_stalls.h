// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/store/chunked_rows.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// The rows of `windows`, by index, at which a sender comes to a stand before a closed window: its limit is the receiver,
// whose window has less room than one segment (no room, where the segment size is not known), and in the sender's row
// before this was not so. A window that is merely small and full is no stall: it moves with every acknowledgement.
std::vector<uint32_t> find_window_stalls(const ChunkedRows<WindowRow>& windows,
                                         const ChunkedRows<ConnectionRow>& connections);

}  // namespace sanscope
