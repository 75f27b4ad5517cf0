// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "captures/load/load_plan.h"

#include "analyzer/cli/exit_status.h"
#include "analyzer/cli/generate_options.h"
#include "analyzer/cli/generate_output.h"

namespace sanscope {

// Puts the load on and tells of it until it has ended; records its packets meanwhile, where that is wanted. What stands in the way
// of its beginning is told on standard error.
ExitStatus run_load(const GenerateOptions& options, LoadPlan plan, GenerateOutput& output);

}  // namespace sanscope
