// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace sanscope {

// The registry's LINKTYPE_ numbers (what a capture file stores) of the link types that are decoded.
// Any other number may stand in RawPacket::link_type; its packets are counted, not decoded.
enum class LinkType : uint16_t {
    null = 0,
    ethernet = 1,
    raw_bsd = 12,  // DLT_RAW as some BSDs and old libpcap wrote it into files
    raw_openbsd = 14,
    raw = 101,
    loop = 108,
    linux_sll = 113,
    ipv4 = 228,
    ipv6 = 229,
    linux_sll2 = 276,
    // No packet: a record that Wireshark gives a number of its own all the same (a pcapng custom block or systemd journal
    // entry). Its data are the block's body, in the byte order of the file.
    not_a_packet = 0xffff,
};

}  // namespace sanscope
