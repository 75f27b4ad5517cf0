// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/budget/budget_parts.h"
#include "analyzer/budget/sender_time.h"
#include "analyzer/store/chunked_rows.h"
#include "analyzer/store/command_marks.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// What a command's turnaround is cut by.
struct CutInput {
    const CommandRow& row;  // has a turnaround of more than 0
    const CommandMarks& marks;
    const ConnectionRow& connection;
    const ChunkedRows<PermissionWaitRow>& waits;
    const SenderTime* initiator;  // nullptr for a sender that sent nothing
    const SenderTime* target;
    // It took several times as long as others of its kind: what held it up did not hold them up, and need not be what their
    // time went to.
    bool is_slow = false;
    // How long other connections' packets queued on a path that it may share (PathQueues), at most, meanwhile.
    int64_t others_queued_ns = 0;
};

// The parts, which add up to the turnaround exactly. What cannot be told apart is `unknown`.
CommandBudget cut_turnaround(const CutInput& input);

}  // namespace sanscope
