// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "captures/experiment/measurement.h"

#include "analyzer/base/result.h"

namespace sanscope::lab {

// Adds what the packets of a run show: windows and retransmissions of the target, how its rate rose. The capture was
// taken at the target. An Error where it cannot be read whole, or holds no commands.
Result<std::monostate> add_packet_measures(const std::string& capture, Measurement& measured);

}  // namespace sanscope::lab
