// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/document/capture_data.h"
#include "gui/document/selection.h"

namespace sanscope {

// A packet by itself says little: what to frame around one. Of one that repeats data, from the first copy over what the receiver
// said meanwhile (duplicate ACKs) to the end of what waited for it: its PDU, and its command's answer if that came soon. Of any
// other, its PDU. Never less than a round trip, and some packets of its connection on either side.
TimeRange story_of_packet(const CaptureData::Reading& reading, const SelectedThings& things);

}  // namespace sanscope
