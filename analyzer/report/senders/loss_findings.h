// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/report/senders/of_sender.h"

namespace sanscope {

// Segments that the path lost: how many, how they were repaired and what that cost.
void add_losses(const OfSender& sender);

}  // namespace sanscope
