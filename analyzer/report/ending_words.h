// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "analyzer/vocabulary/command_ending.h"

namespace sanscope {

// How commands ended that did not with GOOD: "CHECK CONDITION, UNIT ATTENTION: POWER ON OCCURRED (29/01)",
// "CHECK CONDITION, deferred MEDIUM ERROR: WRITE ERROR (0c/00)", "target failure (iSCSI response 0x01)".
std::string ending_words(const CommandEnding& ending);

}  // namespace sanscope
