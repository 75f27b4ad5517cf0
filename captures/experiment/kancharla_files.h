// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "captures/experiment/experiment.h"

namespace sanscope::lab {

// Loads as Postmark and Bonnie++ make them, through Fair-TCP and Reno, over a path with losses.
Experiment kancharla_file_loads();

// What the publication says of them.
Publication kancharla_files_publication();

}  // namespace sanscope::lab
