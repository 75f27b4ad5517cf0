// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "analyzer/report/finding_list.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// Connections whose packets stand in the capture behind others that passed later, as where files were put one behind the other in
// another order than they were recorded, or twice: within one (ConnectionRow::out_of_order), or as two of the same addresses and
// ports, of which the one that stands later began earlier, or leads up to the other. And those that stand in the file where such a one does, as too few of
// their packets may show. By number - 1; empty: of none.
std::vector<bool> find_out_of_order(const ResultStore& store);

// `out_of_order`: by find_out_of_order().
void add_out_of_order(FindingList& list, const FindingsInput& input, const std::vector<bool>& out_of_order);

// What is told of such connections, and of several at once, is possible alone: what seems missing, late or sent again may stand elsewhere
// in the capture. Of connections across a packet whose time goes back, and none shows that it was the clock, likewise.
void doubt_out_of_order(FindingList& list, const FindingsInput& input, const std::vector<bool>& out_of_order);

}  // namespace sanscope
