// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// What an ended command's row says may come of clocks that were set, of captures merged out of step, or of a wrong
// inference. Empties the moments that lie before the request, or after the status of a read; the packets stay, as they are
// what was captured. Returns how many.
uint32_t clear_impossible_times(CommandRow& row, bool is_read);

}  // namespace sanscope
