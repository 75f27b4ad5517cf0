// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/report/finding_list.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// Whether packets stand in the capture behind others that passed later (ConnectionRow::out_of_order), as where files were put one
// behind the other in another order than they were recorded, or twice.
bool is_out_of_order(const ResultStore& store);

void add_out_of_order(FindingList& list, const ResultStore& store);

// What is told of such connections, and of several at once, is possible alone: what seems missing, late or sent again may stand elsewhere
// in the capture.
void doubt_out_of_order(FindingList& list, const ResultStore& store);

}  // namespace sanscope
