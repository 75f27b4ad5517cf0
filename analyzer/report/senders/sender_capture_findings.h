// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/report/senders/of_sender.h"

namespace sanscope {

// What the capture itself made of a sender's data.

// Nearly all of them are there twice: nothing more can be told of this sender. Whether it was told.
bool add_captured_twice(const OfSender& sender);
// The clock was set, or both hosts stood still.
void add_clock_jump(const OfSender& sender);

}  // namespace sanscope
