// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/report/load/session_load.h"

namespace sanscope {

// How many commands of a session are under way at once.

// Too few for its path: because the initiator asks for no more, or because the target's command window allows no more. Whether it
// was told.
bool add_shallow_queue(const SessionLoad& load);
// The target's command window, unless it was told above.
void add_command_window(const SessionLoad& load);

}  // namespace sanscope
