// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analyzer/base/spilling_memory.h"
#include "analyzer/cli/exit_status.h"
#include "analyzer/points/points_of_path.h"

namespace sanscope {

struct FollowedPath {
    std::unique_ptr<SpillingMemory> memory;  // of the records
    PathPoints path;
    ExitStatus status = exit_all_analysed;  // of exit_nothing_analysed and exit_usage the reason was told
};

// What --points does: reads the captures one after the other and holds them against each other, with a progress bar where
// standard error is a terminal; what is wrong with them is reported on standard error.
FollowedPath follow_points(const std::vector<std::string>& files);

}  // namespace sanscope
