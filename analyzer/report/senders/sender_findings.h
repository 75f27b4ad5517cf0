// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "analyzer/report/finding_list.h"
#include "analyzer/report/senders/sender_facts.h"

namespace sanscope {

// What kept TCP from going faster: timeouts, losses, closed and small windows, a full path.
void add_sender_findings(FindingList& list, std::span<const SenderFacts> senders);

}  // namespace sanscope
