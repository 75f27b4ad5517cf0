// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "captures/load/workload.h"

#include "analyzer/base/result.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// A READ or WRITE of a capture, as it is to be sent again.
struct TraceCommand {
    int64_t offset_ns = 0;  // since the first command is sent; at the speed of the replay
    uint64_t lba = 0;
    uint32_t blocks = 0;
    bool write = false;
};

struct TraceOptions {
    double speed = 1;  // 2: in half of the time; finite, above 0
    LunShape lun;      // that the commands will be sent to
};

// The commands of a capture that can be sent to the LUN, in order of time, and how many cannot be.
struct Trace {
    std::vector<TraceCommand> commands;
    uint64_t others = 0;   // neither READ nor WRITE, or without data
    uint64_t unknown = 0;  // the capture does not show when, or which blocks
    uint64_t beyond = 0;   // they go beyond the end of the LUN
    uint64_t misaligned =
        0;  // they begin or end within one of the LUN's blocks, which are larger than those of the capture

    // "12 of 100 commands are not replayed: 10 lie beyond the LUN, 2 are neither READ nor WRITE"; "" where all are.
    std::string left_out() const;
};

// Takes commands one by one, in whatever order, and makes a trace of them. Where a command carries both its blocks and
// its bytes, the capture's block size is what they say, and the place is the same number of bytes; else its blocks
// stand for the LUN's.
class TraceMaker {
  public:
    explicit TraceMaker(const TraceOptions& options) : options_(options) {}

    void add(const CommandRow& row);
    Trace finish();

  private:
    TraceOptions options_;
    Trace trace_;
};

// The commands of all sessions and LUNs of the captures, merged by time, through the analyzer; or, where all files are request
// lists (request_list.h), the requests in them. An Error where a capture cannot be opened, is damaged before its first packet,
// where a list holds what is no request, where there are both, or nothing that can be replayed.
Result<Trace> load_trace(const std::vector<std::string>& files, const TraceOptions& options);

}  // namespace sanscope
