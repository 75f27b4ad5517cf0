// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "analyzer/report/finding_list.h"
#include "analyzer/report/senders/sender_facts.h"

namespace sanscope {

// To what was found of paths whose MTU is smaller than the hosts think, what the SYNs and routers said of it; and those that a
// sender found out by itself, having lost time.
void add_mtu_findings(FindingList& list, const FindingsInput& input, std::span<const SenderFacts> senders,
                      const Stop& stop);

}  // namespace sanscope
