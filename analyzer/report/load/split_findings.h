// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/report/finding_list.h"

namespace sanscope {

// One request of an application that is sent as many commands, one behind the other, each of which takes a round trip of its
// own: contiguous blocks, the largest transfer of the session, each sent when the one before it was answered.
void add_split_findings(FindingList& list, const ResultStore& store, const Stop& stop);

}  // namespace sanscope
