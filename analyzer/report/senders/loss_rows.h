// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "analyzer/report/senders/chosen_senders.h"

namespace sanscope {

// What the table `losses`, where it is kept, and `ca_transitions` tell of the chosen senders: counts in place of their summaries',
// the worst burst, repairs, needless repeats; marks and disorders. Whether it went to the end: not if stopped.
bool add_loss_rows(std::vector<SenderFacts>& facts, const SenderPlaces& places, const ResultStore& store,
                   const Stop& stop);

}  // namespace sanscope
