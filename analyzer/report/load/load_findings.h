// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "analyzer/report/command_facts.h"
#include "analyzer/report/finding_list.h"
#include "analyzer/report/load/service_times.h"
#include "analyzer/report/senders/sender_facts.h"

namespace sanscope {

// How sessions were used where no TCP window stood in the way: too few commands at once for the path, a host that takes
// its time, waits for R2Ts, connections that carry unequal shares.
void add_load_findings(FindingList& list, const ResultStore& store, const CommandFacts& commands,
                       std::span<const SenderFacts> senders, const std::map<uint32_t, ConnectionWaits>& waits,
                       std::span<const ServiceTimes> services);

}  // namespace sanscope
