// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/document/capture_data.h"
#include "gui/document/latest_job.h"
#include "gui/views/ladder/ladder_picture.h"

namespace sanscope {

// What is to be drawn of one connection in a stretch of time. Any thread; its cost is bounded by the pixels, not by the rows.
LadderPicture prepare_ladder(const CaptureData::Reading& reading, const LadderRequest& request,
                             const StopFlag& stop);

}  // namespace sanscope
