// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "analyzer/store/result_store.h"

namespace sanscope {

// The report's section "Where the time went": a line for each session that has commands, with a bar. Ends with a line break;
// empty where the store keeps no budgets.
std::string where_the_time_went_section(const ResultStore& store);

}  // namespace sanscope
