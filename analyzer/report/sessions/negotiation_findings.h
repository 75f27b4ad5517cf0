// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "analyzer/report/finding_list.h"
#include "analyzer/report/senders/sender_facts.h"

namespace sanscope {

// What TCP and iSCSI agreed on, or did not: told as a cause only where something that is in the list already comes of it.
void add_negotiation_findings(FindingList& list, const FindingsInput& input,
                              std::span<const SenderFacts> senders);

}  // namespace sanscope
