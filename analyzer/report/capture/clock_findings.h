// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/report/finding_list.h"

namespace sanscope {

// What is wrong with the clock that stamped the packets: it goes back, is another one for each direction, has coarse steps, or stamped
// packets in batches. It follows from nothing else that is told.
void add_clock_findings(FindingList& list, const FindingsInput& input);

}  // namespace sanscope
