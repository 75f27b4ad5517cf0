// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "analyzer/report/finding_list.h"
#include "analyzer/report/senders/sender_facts.h"

namespace sanscope {

// Connections that were given up because a NOP-Out or NOP-In had no answer.
void add_ping_findings(FindingList& list, const FindingsInput& input, std::span<const SenderFacts> senders);

}  // namespace sanscope
