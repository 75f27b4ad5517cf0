// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/report/senders/of_sender.h"

namespace sanscope {

// What the other side's receive window kept a sender from.

// It was closed.
void add_window_stalls(const OfSender& sender);
// It was open and too small.
void add_receiver_window(const OfSender& sender);

}  // namespace sanscope
