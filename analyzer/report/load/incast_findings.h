// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "analyzer/report/finding_list.h"
#include "analyzer/report/senders/sender_facts.h"

namespace sanscope {

// Several senders that lose segments to one receiver within the same round trip, again and again: together they overflow the
// queue of a port before it. Losses that are independent of each other meet too, but by chance alone.
void add_incast_findings(FindingList& list, const ResultStore& store, std::span<const SenderFacts> senders,
                         const Stop& stop);

}  // namespace sanscope
