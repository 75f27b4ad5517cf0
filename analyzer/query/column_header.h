// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "analyzer/tables/table.h"

namespace sanscope {

// A column's name as words, as the headers of the window's tables have it: "Turnaround" of turnaround_ns, "Request time" of
// request_ns, "R2Ts" of r2ts. In English; unlike that of any other column of its table.
std::string column_header(const ColumnInfo& column);

}  // namespace sanscope
