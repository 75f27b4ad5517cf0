// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "captures/experiment/run_plan.h"

namespace sanscope::lab {

// Of an experiment's folder, where the packets of its runs are kept.
constexpr const char* captures_folder = "captures";

// The name of the file with the packets of a run: it has the settings that are not as usual, as far as there is room, and a
// number that stands for all of them, the repetition and the seconds of load. Other runs have other names, whichever
// experiment they are of.
std::string capture_name(const PlannedRun& run, double seconds);

}  // namespace sanscope::lab
