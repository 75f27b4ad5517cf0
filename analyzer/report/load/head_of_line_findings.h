// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/report/finding_list.h"

namespace sanscope {

// Small commands that waited while the bytes of large transfers went over the same connection before theirs (head of line). Time
// budgets are found only where a connection carries both and the small ones are not fast anyway; of a store that is finished.
void add_head_of_line(FindingList& list, const ResultStore& store, const Stop& stop);

}  // namespace sanscope
