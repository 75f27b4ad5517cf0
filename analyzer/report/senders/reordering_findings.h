// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/report/senders/of_sender.h"

namespace sanscope {

// Segments that arrived, but late.

// So many arrived out of order that it is told.
bool is_reordered(const OfSender& sender);
// They were sent again though they had arrived, and reordering is not what made them.
void add_needless(const OfSender& sender);
void add_reordering(const OfSender& sender);

}  // namespace sanscope
