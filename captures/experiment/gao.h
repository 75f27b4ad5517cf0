// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "captures/experiment/experiment.h"

namespace sanscope::lab {

// Throughput against request size, connections, queue depth, latency and MTU.
Experiment gao_figures();

// What its text says: gao_publication.cpp.
Publication gao_publication();

}  // namespace sanscope::lab
