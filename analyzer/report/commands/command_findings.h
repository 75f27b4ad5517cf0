// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>

#include "analyzer/report/command_facts.h"
#include "analyzer/report/finding_list.h"
#include "analyzer/report/load/service_times.h"

namespace sanscope {

// Commands that were slow, and what made them so; such as ended with another status than GOOD, or without any.
void add_command_findings(FindingList& list, const FindingsInput& input, const CommandFacts& commands,
                          const std::map<uint32_t, ConnectionWaits>& waits, const Stop& stop);

}  // namespace sanscope
