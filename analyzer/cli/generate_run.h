// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "captures/load/load_plan.h"

#include "analyzer/cli/exit_status.h"
#include "analyzer/cli/generate_options.h"
#include "analyzer/cli/generate_output.h"

namespace sanscope {

// Runs the load and reports on it until it has ended; records its packets meanwhile, where that is wanted. What stands
// in the way of its beginning is reported on standard error.
ExitStatus run_load(const GenerateOptions& options, LoadPlan plan, GenerateOutput& output);

}  // namespace sanscope
