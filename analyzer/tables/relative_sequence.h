// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "analyzer/store/result_store.h"

namespace sanscope {

// The sequence number that counts as 0 of what a side of the connection sends, as in Wireshark: of its SYN, and where that
// was not captured the one before the first byte seen. Nothing where the side is not seen among the first 1,000 packets
// since the connection began.
std::optional<uint32_t> sequence_base(const ResultStore& store, ConnectionNumber connection, Side side);

}  // namespace sanscope
