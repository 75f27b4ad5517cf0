// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "captures/experiment/experiment.h"

namespace sanscope::lab {

// Throughput of reads against delay and PDU size, with a plain socket's above.
Experiment oguchi_figures();

// What its text says: oguchi_publication.cpp.
Publication oguchi_publication();

}  // namespace sanscope::lab
