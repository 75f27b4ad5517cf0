// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/report/load/session_load.h"

namespace sanscope {

// More commands at once than the path or the target serves: they wait for each other, as Little's law shows.
void add_saturation(const SessionLoad& load);

}  // namespace sanscope
