// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/store/sender_summary.h"
#include "analyzer/store/stored_rows.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

struct WindowsOfConnections {
    const StoredRows<WindowRow>& windows;  // may be empty
    const ChunkedRows<SenderSummary>& senders;
    const ChunkedRows<ConnectionRow>& connections;
};

// Enters in each session's row what the congestion windows of its connections were together, each way, and how evenly its
// connections shared window and throughput; nothing of a session of which a connection was captured one way alone. The
// windows of a session of one connection are its senders', kept or not; of several, those of `windows`, which are put in
// order of time: 16 bytes for each change.
void fill_session_windows(const WindowsOfConnections& of, ChunkedRows<SessionRow>& sessions);

}  // namespace sanscope
