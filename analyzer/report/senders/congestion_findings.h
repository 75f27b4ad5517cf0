// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/report/senders/of_sender.h"

namespace sanscope {

// What kept a sender at its congestion window: the queue of a bottleneck, losses, marks, restarts after idle periods, or nothing
// that the capture shows. Behind the losses, which it does not tell again.
void add_congestion(const OfSender& sender);

}  // namespace sanscope
