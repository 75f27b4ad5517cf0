// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/plot/state_band.h"
#include "gui/senders/sender_list.h"

namespace sanscope {

// The congestion states of a sender as its own kernel reported them, CaState by number; nothing where it reported none.
// Holds until the sender's end.
StateBand kernel_ca_band(const CaptureData::Reading& reading, SenderId sender, const SenderTrack& track,
                         const PreparedRange& prepared);

}  // namespace sanscope
