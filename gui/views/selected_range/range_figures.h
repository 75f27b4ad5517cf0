// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "gui/document/capture_data.h"
#include "gui/document/filter_result.h"
#include "gui/document/latest_job.h"
#include "gui/document/time_range.h"
#include "gui/senders/connection_chooser.h"

#include "analyzer/base/log_histogram.h"
#include "analyzer/budget/budget_parts.h"

namespace sanscope {

// What figures are wanted of.
struct RangeQuestion {
    TimeRange range;
    ConnectionChooser::Scope scope;              // `shared` is everything
    std::shared_ptr<const FilterResult> filter;  // nullptr: all rows count

    bool operator==(const RangeQuestion&) const = default;
};

// What happened in a range of time. A packet belongs to it by its time, a loss by when its packet was captured, a command by the
// moment its answer was complete.
struct RangeFigures {
    struct Direction {
        uint64_t segments = 0;  // TCP, with and without payload
        uint64_t payload = 0;   // bytes, what was sent again counts again
    };
    struct Commands {
        uint64_t count = 0;
        uint64_t bytes = 0;  // ExpectedDataTransferLength of those of which it is known
        LogHistogram turnaround;
    };

    RangeQuestion question;
    Direction to_target;
    Direction to_initiator;
    // That were answered in it.
    Commands reads;
    Commands writes;
    Commands others;
    uint64_t not_good = 0;      // of these, with another status than GOOD
    uint64_t requested = 0;     // that were requested in it, answered or not
    uint64_t not_answered = 0;  // of these, not in the capture: while it is read, not yet
    double under_way = 0;       // on average, of the commands that were ever answered
    std::array<uint64_t, loss_kinds> losses{};
    // Of the commands that were answered in it, nanoseconds; not known while the capture is read.
    std::array<int64_t, budget_parts> parts{};
    uint64_t with_parts = 0;  // commands of which they are known
    bool parts_known = false;
    bool complete = false;  // false: stopped, nothing holds

    uint64_t commands() const { return reads.count + writes.count + others.count; }
    uint64_t sent_again() const;
    // Of reads, writes and others together.
    LogHistogram turnaround() const;
};

// Looks at the rows in the range of each track, and at each packet of it only where a filter is set. Any thread.
RangeFigures range_figures(const CaptureData::Reading& reading, const RangeQuestion& question,
                           const StopFlag& stop);

}  // namespace sanscope
