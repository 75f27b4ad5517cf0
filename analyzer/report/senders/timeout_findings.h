// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/report/senders/of_sender.h"

namespace sanscope {

// What a sender's retransmission timer did.

// It ran out, for what was lost or for a path that stood still.
void add_timeouts(const OfSender& sender);
// It ran out for an acknowledgement that the capture has and the sender did not get; only where no other timeout is to be told.
void add_lost_acknowledgements(const OfSender& sender);

}  // namespace sanscope
