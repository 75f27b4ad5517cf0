// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/sender/events/sender_events.h"
#include "analyzer/sender/testing/wire_segment.h"

namespace sanscope::simulated {

// A segment's TCP options as bytes: RFC 9293 §3.1's, RFC 7323's and RFC 2018's.
std::vector<uint8_t> tcp_options(const WireSegment& segment, const SenderOptions& agreed);
// The window as its header field has it, scaled by what tcp_options() agrees on.
uint16_t window_field(const WireSegment& segment);

}  // namespace sanscope::simulated
