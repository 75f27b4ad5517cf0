// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/compare/session_groups.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// Adds, of each session, what part of its commands' turnaround was whose: "budget_target_share". Of a store that keeps
// budgets; one pass over its commands.
void add_budget_figures(const ResultStore& store, SessionGroups& sessions);

}  // namespace sanscope
