// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "captures/experiment/measurement.h"

#include "analyzer/base/result.h"

namespace sanscope::lab {

// What `sanscope generate --json` printed. An Error where it is not that, or commands failed: such a run measures
// something else.
Result<Measurement> parse_generate_outcome(std::string_view json);

// What `iperf3 -J` printed at the initiator, of either direction: each text is that of one of several that ran at once, whose
// rates, retransmissions and processor shares add up. How the rate rose is of the intervals it told. An Error where one is
// not that, or iperf3 reported one.
Result<Measurement> parse_iperf_outcomes(std::span<const std::string> texts);

}  // namespace sanscope::lab
