// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "captures/experiment/measurement.h"

#include "analyzer/base/result.h"

namespace sanscope::lab {

// What `sanscope generate --json` printed. An Error where it is not that, or commands failed: such a run measures
// something else.
Result<Measurement> parse_generate_outcome(std::string_view json);

// What `iperf3 -J` printed of a receiver. An Error where it is not that, or iperf3 reported one.
Result<Measurement> parse_iperf_outcome(std::string_view json);

}  // namespace sanscope::lab
