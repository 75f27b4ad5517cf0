// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "gui/document/latest_job.h"

#include "analyzer/tables/captures_table.h"

namespace sanscope {

// Analyses a file to its row; what could not be read is in its `damage`. `name`: what the row calls it. One that was stopped
// is of no use.
CaptureRow analysed_file(const std::string& path, std::string name, const StopFlag& stop);

}  // namespace sanscope
