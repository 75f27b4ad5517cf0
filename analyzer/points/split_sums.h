// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "analyzer/points/command_split.h"

namespace sanscope {

// The times of all split commands of one name between two neighbouring points, one after the other.
struct SplitSums {
    size_t near = 0;  // that their requests pass first; indices into PathPoints::points
    size_t far = 0;
    std::string_view name;  // of the store that they were split by
    uint64_t commands = 0;
    // As in CommandSplit: the first is the sum of the next four.
    int64_t turnaround_ns = 0;
    int64_t initiator_ns = 0;
    int64_t paths_ns = 0;
    int64_t target_ns = 0;
    int64_t answer_ns = 0;
    // Of paths_ns. Where the clocks are not known: anything.
    TimeBand out{0, 0};
    TimeBand back{0, 0};
    TimeBand behind_others{0, 0};  // of target_ns
};

// In order of the points, as they lie on the path and those passed from its beginning first; then by time, the most first.
std::vector<SplitSums> sum_splits(const PathPoints& path, const ResultStore& store,
                                  const ChunkedRows<CommandSplit>& splits);

}  // namespace sanscope
