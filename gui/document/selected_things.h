// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/document/capture_data.h"
#include "gui/document/latest_job.h"
#include "gui/document/selection.h"

namespace sanscope {

// What a selection is part of and consists of. A number that is none gives nothing.
SelectedThings find_selected_things(const CaptureData::Reading& reading, const Selection& selection,
                                    const StopFlag& stop);

}  // namespace sanscope
