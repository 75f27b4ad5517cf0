// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "analyzer/report/command_facts.h"
#include "analyzer/report/finding_list.h"
#include "analyzer/report/sender_facts.h"

namespace sanscope {

// Commands that were slow, and what made them so; such as ended with another status than GOOD, or without any.
void add_command_findings(FindingList& list, const FindingsInput& input, const CommandFacts& commands,
                          std::span<const SenderFacts> senders, const Stop& stop);

}  // namespace sanscope
