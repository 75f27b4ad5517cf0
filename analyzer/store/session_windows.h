// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/store/chunked_rows.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// Enters in each session's row what the congestion windows of its connections were together, each way, and how evenly its
// connections shared window and throughput; windows only where `windows` has any, and nothing of a session of which a connection was
// captured one way alone. One pass over the windows; those of
// sessions of several connections are put in order of time, 16 bytes for each change.
void fill_session_windows(const ChunkedRows<WindowRow>& windows,
                          const ChunkedRows<ConnectionRow>& connections, ChunkedRows<SessionRow>& sessions);

}  // namespace sanscope
