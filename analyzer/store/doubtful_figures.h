// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/store/stored_rows.h"
#include "analyzer/store/summary.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// Leaves out what nobody can tell: mean turnarounds of connections where more than one command in a hundred ended nobody knows
// when; and much of connections whose two directions cannot be held together. Of all that are not judged
// (ConnectionRow::tcp_is_judged()): congestion windows, states, and what limited the senders. Where clocks are apart
// (ConnectionRow::clocks_apart_ns()), or step coarsely (clock_step_ns), also commands' times that are shorter than can be compared,
// and where that is much beside the round trip, the round trip and where it was captured; where they are apart, queue depths, too.
// Returns whether commands lost their times.
bool leave_out_doubtful(ChunkedRows<ConnectionRow>& connections, ChunkedRows<CommandRow>& commands,
                        StoredRows<WindowRow>& windows, Summary& summary);

}  // namespace sanscope
