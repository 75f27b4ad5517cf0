// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/base/link_type.h"
#include "analyzer/net/datagram.h"
#include "analyzer/net/decoded_packet.h"

namespace sanscope {

// Finds the innermost TCP segment or IP fragment of a frame: through VLAN tags, MPLS, PPPoE, IPv4, IPv6 and
// its extension headers, GRE, ERSPAN, VXLAN, GENEVE and IP in IP, at most `max_headers` headers deep.
// Stateless; never reads past `captured_length`.
//
// What the captured bytes cannot tell is judged by the lengths in the headers and that of the frame:
// - A header that ends beyond the bytes captured is `truncated` if the frame went on, `malformed` if it did
// not.
// - An IP length of 0 means as long as the frame: segmentation offload hands such packets to a capture, IPv4
// and
//   IPv6, of any size. A jumbo payload option (RFC 2675) is obeyed where there is one.
// - An IP length beyond the frame's end is cut to the frame, as Wireshark does; what lies in the frame behind
// the
//   IP length is padding and no payload.
// - Checksums are not verified: offload leaves them wrong in captures taken at the sender.
void decode_frame(LinkType link_type, const uint8_t* data, uint32_t captured_length, uint32_t wire_length,
                  DecodedPacket& out);

// Goes on where a fragmented datagram was put together. The datagram may hold a tunnel, and that a fragment
// again.
void decode_datagram(const Datagram& datagram, DecodedPacket& out);

// Tags, labels, tunnel, IP and extension headers together; a frame with more is `other`.
constexpr int max_headers = 32;

}  // namespace sanscope
