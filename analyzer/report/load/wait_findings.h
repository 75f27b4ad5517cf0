// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "analyzer/report/command_facts.h"
#include "analyzer/report/finding_list.h"
#include "analyzer/report/load/service_times.h"
#include "analyzer/report/senders/sender_facts.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// Commands that waited for a host.

// For the target, from their request on, or from their last data to the status.
void add_target_waits(FindingList& list, const ResultStore& store, const CommandFacts& commands,
                      std::span<const SenderFacts> senders, std::span<const ServiceTimes> services);
// For the rest of their data: the target had begun to send them, TCP could have sent, and nothing came for a while.
void add_data_pauses(FindingList& list, const ResultStore& store, const CommandFacts& commands,
                     std::span<const ServiceTimes> services);
// The counterpart: the target had asked for data, TCP could have sent them, and none came.
void add_initiator_waits(FindingList& list, const CommandFacts& commands,
                         const std::map<uint32_t, ConnectionWaits>& waits,
                         std::span<const ServiceTimes> services);

}  // namespace sanscope
