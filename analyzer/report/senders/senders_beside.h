// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "analyzer/report/senders/sender_facts.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// What senders of the same connection, or between the same two hosts, tell of each other. In: the facts of all, complete otherwise.

// Of senders of one host to another: what the others sent while each was there, for they share the path.
void add_rates_beside(std::vector<SenderFacts>& facts);
// Those that TCP timestamps show, with the connection's first sender; most of them are known by silence alone.
void add_clock_jumps(std::vector<SenderFacts>& facts, const ResultStore& store);
// What one sender suffers may be the loss of one packet; two that stand still at once do so because nothing comes through.
void note_who_else_stood_still(std::vector<SenderFacts>& facts);

}  // namespace sanscope
