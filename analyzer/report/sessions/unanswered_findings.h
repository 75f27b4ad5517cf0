// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/report/command_facts.h"

namespace sanscope {

// Commands without a status, by connection: still under way when the capture ends, answered where the capture has a gap, or never
// answered; and those that were aborted.
void add_unanswered_findings(FindingList& list, const FindingsInput& input, const CommandFacts& commands);

}  // namespace sanscope
