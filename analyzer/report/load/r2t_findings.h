// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/report/load/session_load.h"

namespace sanscope {

// The round trips that writes wait for R2Ts. Whether it was told.
bool add_r2t_waits(const SessionLoad& load);

}  // namespace sanscope
