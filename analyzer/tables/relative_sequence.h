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

// Whether that base is the number of a SYN, by the first of the side's packets.
bool is_of_syn(uint32_t base, const ResultStore& store, ConnectionNumber connection, Side side);

// `sequence` of what the side sends, or acknowledgement of that, counted from its base. Nothing where there is no base, and
// for what is before the first byte seen where the SYN was not captured.
std::optional<uint32_t> relative_sequence(const ResultStore& store, ConnectionNumber connection, Side side,
                                          uint32_t sequence);

}  // namespace sanscope
