// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/views/statistics/statistics_table.h"

#include "analyzer/query/linked_rows.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// The login keys of sessions side by side (RFC 7143 §13): a row a key, a column a session; where sessions differ, the values that
// fewer have stand out. `sessions`: those to be shown; nullptr: all. Discovery sessions, whose login negotiates nothing of this, are
// left out.
StatisticsTable negotiated_parameters(const ResultStore& store, const RowSet* sessions);

}  // namespace sanscope
