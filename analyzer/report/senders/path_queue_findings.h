// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/report/senders/of_sender.h"

namespace sanscope {

// The bottleneck of a sender's path, where its data wait in a queue.
void add_path_queue(const OfSender& sender);

}  // namespace sanscope
