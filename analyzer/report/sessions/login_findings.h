// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/report/command_facts.h"
#include "analyzer/report/finding_list.h"

namespace sanscope {

// Logins that nobody answered, that took long, that were sent elsewhere; and more of those that were refused, which are in the
// list already.
void add_login_findings(FindingList& list, const FindingsInput& input, const CommandFacts& commands);

}  // namespace sanscope
