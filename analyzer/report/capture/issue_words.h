// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

#include "analyzer/vocabulary/issues.h"

namespace sanscope {

// What stands behind the count of an issue: "IP datagrams with fragments missing", of one "IP datagram with fragments missing".
// Static storage.
std::string_view issue_words(Issue issue, uint64_t count);

}  // namespace sanscope
