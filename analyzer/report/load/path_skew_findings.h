// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "analyzer/report/finding_list.h"
#include "analyzer/report/senders/sender_facts.h"

namespace sanscope {

// Several sessions of one initiator to one logical unit, its paths (multipath), one of which serves the same commands much
// slower than another, and what their asymmetric access states (ALUA) say to it. Connections of one session are
// connection_imbalance's.
void add_path_skew(FindingList& list, const ResultStore& store, std::span<const SenderFacts> senders,
                   const Stop& stop);

}  // namespace sanscope
