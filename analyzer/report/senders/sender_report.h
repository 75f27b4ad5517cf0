// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "analyzer/store/result_store.h"

namespace sanscope {

// What the report says of the TCP senders of connections that carry iSCSI or much else, the worst held back first. Whole
// lines of at most some 130 characters, each section with its heading; empty where no sender is known. The length does
// not grow with the number of connections.

// For each troubled connection one plain sentence: what kept the worse of its sides from going faster. Where bytes of iSCSI streams
// are in no captured packet (`all_captured` is false), it is not said that nothing was lost.
std::string held_back_section(const ResultStore& store, bool all_captured = true);

// For each connection and each of its sides with data: round trip, congestion control, windows, what limited it for how
// much of the time, congestion states, losses by kind.
std::string senders_section(const ResultStore& store);

}  // namespace sanscope
