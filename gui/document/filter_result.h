// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "analyzer/query/linked_rows.h"

namespace sanscope {

// What a filter line has come to: which rows of every table pass it.
struct FilterResult {
    std::string expression;
    LinkedRows rows;
};

}  // namespace sanscope
