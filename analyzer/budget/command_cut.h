// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/budget/budget_parts.h"
#include "analyzer/budget/command_order.h"
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
    // How much longer than the shortest way the path takes now and then, each way, without a queue that shows (PathJitter).
    int64_t jitter_ns = 0;
    // The commands before it that came over other connections of its session; nullptr where it waited for none.
    const CommandOrder::Wait* order = nullptr;
    // Nobody knows what it waited for (CommandOrder::is_in_doubt()).
    bool order_in_doubt = false;
};

// When the command's request was at the target. `row` need not have a turnaround.
RequestArrival request_arrival(const CutInput& input);

// How much later than by the shortest way the first byte of the answer came, beyond what the target had sent before and the path
// had to carry first, as far as is known when it was sent; no_time where it is not, and where the capture was taken at the target.
int64_t answer_delay_ns(const CutInput& input);

// The parts, which add up to the turnaround exactly. What cannot be told apart is `unknown`.
CommandBudget cut_turnaround(const CutInput& input);

}  // namespace sanscope
