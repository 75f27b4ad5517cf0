// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace sanscope {

// The registry's LINKTYPE_ numbers (what a capture file stores) of the link types that are decoded.
// Any other number may stand in RawPacket::link_type; its packets are counted, not decoded.
enum class LinkType : uint16_t {
    null = 0,
    ethernet = 1,
    ppp = 9,
    fddi = 10,
    raw_bsd = 12,  // DLT_RAW as some BSDs and old libpcap wrote it into files
    raw_openbsd = 14,
    ppp_hdlc = 50,   // PPP in HDLC-like framing, or Cisco HDLC
    ppp_ether = 51,  // from PPPoE's session header on
    raw = 101,
    cisco_hdlc = 104,
    loop = 108,
    linux_sll = 113,
    ppi = 192,  // "per-packet information": a header with a link type of its own
    erf = 197,  // records of Endace's cards
    ppp_with_direction = 204,
    ipv4 = 228,
    ipv6 = 229,
    nflog = 239,    // messages of Linux's packet filter
    netlink = 253,  // of a Linux nlmon interface
    linux_sll2 = 276,
    // No packet: a record that Wireshark gives a number of its own all the same (a pcapng custom block or systemd journal
    // entry). Its data are the block's body, in the byte order of the file.
    not_a_packet = 0xffff,
};

}  // namespace sanscope
