// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "captures/experiment/experiment.h"

namespace sanscope::lab {

// How soon a connection reaches its rate, against buffers, frame size and parallel sockets.
Experiment zhu_tables();

// What its text says: zhu_publication.cpp.
Publication zhu_publication();

}  // namespace sanscope::lab
