// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analyzer/base/spilling_memory.h"
#include "analyzer/cli/captures.h"
#include "analyzer/cli/exit_status.h"
#include "analyzer/points/command_split.h"
#include "analyzer/points/points_of_path.h"
#include "analyzer/points/sender_agreement.h"

namespace sanscope {

struct FollowedPath {
    std::unique_ptr<SpillingMemory> memory;  // of the records
    PathPoints path;
    std::vector<std::string> files;  // by point
    std::unique_ptr<SpillingMemory> split_memory;
    std::unique_ptr<ChunkedRows<CommandSplit>> splits;
    Analysed commands;  // of the first point; no engine where it was not asked for, or cannot be had
    ExitStatus status = exit_all_analysed;  // of exit_nothing_analysed and exit_usage the reason was told
};

// What --points does: reads the captures one after the other and holds them against each other, with a progress bar where
// standard error is a terminal; what is wrong with them is reported on standard error.
FollowedPath follow_points(const CaptureOptions& options);
// Splits the commands of a path that was followed: reads the capture of its first point again, which cannot be done with standard
// input. False where nothing came of it: `followed.status` and standard error say why.
bool split_point_commands(const CaptureOptions& options, FollowedPath& followed);

// Replays the senders of a path that was followed from every point: reads its captures again, one after the other. False as
// above.
bool compare_point_senders(const CaptureOptions& options, FollowedPath& followed,
                           std::vector<SenderAgreement>& rows);

}  // namespace sanscope
