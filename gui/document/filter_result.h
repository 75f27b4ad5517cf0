// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "analyzer/query/linked_rows.h"

namespace sanscope {

// What a filter line has come to: which rows of every table pass it.
struct FilterResult {
    std::string expression;
    std::string table;  // over whose columns it is; empty: a Wireshark display filter
    LinkedRows rows;
};

}  // namespace sanscope
