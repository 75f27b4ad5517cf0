// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/report/finding_list.h"

namespace sanscope {

// Hosts that use one initiator name, and close each other's sessions.
void add_initiator_name_findings(FindingList& list, const FindingsInput& input);

}  // namespace sanscope
