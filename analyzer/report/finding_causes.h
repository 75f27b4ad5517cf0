// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/report/finding_list.h"

namespace sanscope {

// What follows from another finding about the same connection becomes information that names its cause: whoever mends the
// cause mends the consequence.
void put_causes_first(FindingList& list);

}  // namespace sanscope
