// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/report/command_facts.h"
#include "analyzer/report/finding_list.h"

namespace sanscope {

// What PDUs and logins tell of sessions in trouble: bad digests, rejects, asynchronous messages, task management,
// sessions that were lost and came back.
void add_session_findings(FindingList& list, const FindingsInput& input, const CommandFacts& commands);

}  // namespace sanscope
