// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/ingest/packet_batch.h"
#include "analyzer/net/decoded_packet.h"
#include "analyzer/store/network_events.h"
#include "analyzer/tcp/stream_reassembler.h"

namespace sanscope {

// What the network says of itself: ICMP errors, and who claims an IP address. `packet` is of a kind without a TCP header.
void note_network_message(const RawPacket& frame, const DecodedPacket& packet, const Arrival& arrival,
                          NetworkEvents& events);

// Whose MAC address a segment comes from that a host sends of its own accord, whatever connection it knows of: one with SYN, FIN
// or RST. `first`: of that side of the connection, set by the first.
void note_segment_origin(const RawPacket& frame, const DecodedPacket& segment, const Arrival& arrival,
                         ConnectionNumber connection, SegmentOrigin& first, AddressClaims& claims);

}  // namespace sanscope
