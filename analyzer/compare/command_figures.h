// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/compare/session_groups.h"

namespace sanscope {

// Of each session: commands and bytes a second, queue depth, the share that ended otherwise than GOOD; of its commands by
// LUN, kind and size: turnaround and how many a second.
void add_command_figures(const ResultStore& store, SessionGroups& sessions);

}  // namespace sanscope
