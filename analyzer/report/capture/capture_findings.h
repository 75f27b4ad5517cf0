// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/report/finding_list.h"

namespace sanscope {

// What the capture lacks, and where it was taken: how far what else is said can be trusted.
void add_capture_findings(FindingList& list, const FindingsInput& input, const Stop& stop);

}  // namespace sanscope
