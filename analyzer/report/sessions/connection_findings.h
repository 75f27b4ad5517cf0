// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/report/command_facts.h"
#include "analyzer/report/finding_list.h"

namespace sanscope {

// How connections began and ended: portals that refuse or do not answer, resets and who sent them, logins refused.
void add_connection_findings(FindingList& list, const FindingsInput& input, const CommandFacts& commands);

}  // namespace sanscope
