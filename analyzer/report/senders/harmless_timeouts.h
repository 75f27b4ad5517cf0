// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "analyzer/report/senders/sender_facts.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// A target that takes longer than a retransmission timer has all of its time to itself: what the timer did meanwhile delayed
// nothing. That a command which was under way then took no longer than others of its kind shows it. In: senders with their
// timeouts, and the table `commands`. Out: SenderFacts::delayed_no_command.
void note_harmless_timeouts(std::vector<SenderFacts>& facts, const ResultStore& store, const Stop& stop);

}  // namespace sanscope
