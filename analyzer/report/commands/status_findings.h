// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/report/command_facts.h"

namespace sanscope {

// Adds a finding for each status other than GOOD, with its sense data: what it means, as far as SAM-5, SPC-4 and SBC-3 say.
void add_status_findings(FindingList& list, const CommandFacts& commands);

}  // namespace sanscope
