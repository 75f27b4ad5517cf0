// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/document/capture_data.h"
#include "gui/views/ladder/ladder_picture.h"

namespace sanscope {

constexpr size_t most_named_transitions = 2000;

// Fills in picture.sender: the figures of the side that request.sender_is_target names, each as what holds at the beginning
// of request.prepared.range and its steps therein; where these are more than pixels, one a pixel.
void add_sender(const CaptureData::Reading& reading, const LadderRequest& request, LadderPicture& picture);

}  // namespace sanscope
