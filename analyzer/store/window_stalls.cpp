// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/window_stalls.h"

namespace sanscope {

std::vector<uint32_t> find_window_stalls(const StoredRows<WindowRow>& windows,
                                         const ChunkedRows<ConnectionRow>& connections) {
    std::vector<bool> stalled(2 * connections.size());     // by sender
    std::vector<uint32_t> widest(2 * connections.size());  // … and the widest window it was offered so far
    std::vector<uint32_t> stalls;
    for (size_t i = 0; i < windows.size(); ++i) {
        const WindowRow& row = windows[i];
        if (row.connection == 0 || row.connection > connections.size()) continue;
        const uint32_t mss = connections[row.connection - 1].mss;
        const size_t sender = 2 * size_t{row.connection - 1} + index_of(row.sender);
        if (row.advertised_window != unknown<uint32_t>)
            widest[sender] = std::max(widest[sender], row.advertised_window);
        const bool closed = row.advertised_window < room_of_segment(mss, widest[sender]);
        const bool now = closed && row.limit == SendLimit::receiver;
        if (now && !stalled[sender]) stalls.push_back(static_cast<uint32_t>(i));
        stalled[sender] = now;
    }
    return stalls;
}

}  // namespace sanscope
