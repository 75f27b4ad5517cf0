// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/store/chunked_rows.h"
#include "analyzer/store/rows.h"

namespace sanscope {

// Writes `queue_depth` into every command whose request is known: the commands of its session under way at its
// request_packet, itself included. A command is under way from the packet that completes its request until the one that
// completes its status, or aborts it, or brings another request with its task tag, which no initiator sends earlier.
//
// Told from the finished rows, not while they come: what was held back behind a hole, or inferred, has its packets but
// long after they passed.
void fill_queue_depths(ChunkedRows<CommandRow>& commands);

}  // namespace sanscope
