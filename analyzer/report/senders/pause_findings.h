// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/report/senders/of_sender.h"

namespace sanscope {

// Pauses that a sender makes with data to send.

// For a delayed acknowledgement, before the rest of a PDU.
void add_ack_waits(const OfSender& sender);
// Between segments, as its congestion control or a queue of its host makes them.
void add_pacing(const OfSender& sender);

}  // namespace sanscope
