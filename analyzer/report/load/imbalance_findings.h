// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/report/command_facts.h"
#include "analyzer/report/finding_list.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// Connections of one session share its commands; where they do not, all but one are idle.
void add_imbalance(FindingList& list, const ResultStore& store, const CommandFacts& commands);

}  // namespace sanscope
