// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/document/capture_data.h"
#include "gui/document/time_range.h"

namespace sanscope {

// From the first to the last PDU or command of all connections; empty without any. What comes before and after is no storage
// traffic: ARP, keep-alives, the closing of connections, other protocols.
TimeRange iscsi_traffic(const CaptureData::Reading& reading);

// A connection of which nothing is worth a look: without PDUs, repeated data, or more than a handful of bytes.
bool is_idle(const CaptureData::Reading& reading, uint32_t connection);

}  // namespace sanscope
