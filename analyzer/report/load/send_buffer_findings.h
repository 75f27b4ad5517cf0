// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/report/load/session_load.h"

namespace sanscope {

// What holds a steady amount of a session's data.

// As much as something holds is always in flight.
bool is_filled_to_one_amount(const SessionLoad& load);
// It is the send buffer that holds so much. Whether it was told.
bool add_send_buffer(const SessionLoad& load);

}  // namespace sanscope
