// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/base/link_type.h"
#include "analyzer/net/decoded_packet.h"

namespace sanscope {

// How many first bytes of a frame are headers and nothing else, at most `captured`: of a TCP segment all up to its payload,
// through tunnels; of anything else the link's, IP's and transport's headers. ARP and ICMP are kept whole but for what an echo
// carries and what an error quotes beyond the quoted transport header. 0 for a link type that is not known.
//
// `packet`: what decode_frame() made of it.
uint32_t frame_headers_length(LinkType link_type, const uint8_t* data, uint32_t captured,
                              const DecodedPacket& packet);

}  // namespace sanscope
