// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analyzer/budget/budget_parts.h"
#include "analyzer/store/command_sample.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

struct SampledCommand {
    ConnectionNumber connection;
    uint64_t lun = unknown<uint64_t>;
    uint16_t opcode = unknown<uint16_t>;
    CommandBudget budget;  // adds up to its turnaround
};

// Where the time of a sample's commands went, as TimeBudgets tells it of a whole capture: of those that have a turnaround, in
// order of request. `connections`: rows of those the commands are of, described by then; what is not there is `unknown`.
//
// What a sender did before the sample is not known, and the path's rate is that of the sample's fastest bytes: of a quiet one it
// is not known, and `wire` is 0.
std::vector<SampledCommand> cut_sample(const CommandSample& sample,
                                       const std::map<uint32_t, ConnectionRow>& connections);

}  // namespace sanscope
