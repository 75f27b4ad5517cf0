// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "captures/experiment/experiment.h"

namespace sanscope::lab {

// How even windows and turnaround are, over one connection and over four.
Experiment kancharla_tables();

// What its text says: kancharla_publication.cpp.
Publication kancharla_publication();

}  // namespace sanscope::lab
