// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/report/finding_list.h"

namespace sanscope {

// One IP address that two hosts use.
void add_address_findings(FindingList& list, const FindingsInput& input);

}  // namespace sanscope
