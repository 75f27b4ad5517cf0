// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/report/finding_list.h"

namespace sanscope {

// Packets that were never on a wire as they are in the capture.
void add_offload_findings(FindingList& list, const FindingsInput& input);

}  // namespace sanscope
