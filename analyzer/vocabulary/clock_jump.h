// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// A stretch of the capture's time that was none by the TCP timestamps of both hosts of a connection: as long as what their clocks
// lack, up to the first packet behind it.
struct ClockJump {
    uint32_t connection = 0;
    int64_t begin_ns = no_time;
    int64_t end_ns = no_time;
    PacketNumber packet = 0;  // that one
};

}  // namespace sanscope
