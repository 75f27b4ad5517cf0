// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "analyzer/report/capture_clocks.h"
#include "analyzer/vocabulary/command_ending.h"

namespace sanscope {

// How commands ended that did not with GOOD: "CHECK CONDITION, UNIT ATTENTION: POWER ON OCCURRED (29/01)",
// "CHECK CONDITION, deferred MEDIUM ERROR: WRITE ERROR (0c/00)", "target failure (iSCSI response 0x01)".
std::string ending_words(const CommandEnding& ending);

// Why nobody knows when a command was answered, or whether it was: "in headers the capture lacks".
std::string_view unseen_ending_words(CaptureClocks clocks);

}  // namespace sanscope
