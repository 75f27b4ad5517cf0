// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "captures/experiment/experiment.h"

namespace sanscope::lab {

// Throughput against round trip, TCP window, and loss.
Experiment bianco_figures();

// What its text says: bianco_publication.cpp.
Publication bianco_publication();

}  // namespace sanscope::lab
