// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

// Numbers of the pcapng format (draft-ietf-opsawg-pcapng), for whoever reads or writes its blocks.
namespace sanscope::pcapng {

// Block types (§11.1). The section header's reads the same in both byte orders.
constexpr uint32_t section_header_block = 0x0a0d0d0a;
constexpr uint32_t interface_description_block = 1;
constexpr uint32_t packet_block = 2;
constexpr uint32_t simple_packet_block = 3;
constexpr uint32_t name_resolution_block = 4;
constexpr uint32_t interface_statistics_block = 5;
constexpr uint32_t enhanced_packet_block = 6;
constexpr uint32_t systemd_journal_export_block = 9;
constexpr uint32_t decryption_secrets_block = 10;
// The second kind of custom block is one that editing tools must not copy.
constexpr uint32_t custom_block = 0x00000bad;
constexpr uint32_t custom_block_not_copied = 0x40000bad;

constexpr uint32_t byte_order_magic = 0x1a2b3c4d;

// Options of the blocks that have them.
constexpr uint16_t opt_endofopt = 0;
constexpr uint16_t opt_comment = 1;
constexpr uint16_t shb_hardware = 2;
constexpr uint16_t shb_os = 3;
constexpr uint16_t shb_userappl = 4;
constexpr uint16_t if_name = 2;
constexpr uint16_t if_tsresol = 9;
constexpr uint16_t if_filter = 11;
constexpr uint16_t if_os = 12;
constexpr uint16_t if_tsoffset = 14;
constexpr uint16_t isb_starttime = 2;
constexpr uint16_t isb_endtime = 3;
constexpr uint16_t isb_ifrecv = 4;
constexpr uint16_t isb_ifdrop = 5;
constexpr uint16_t isb_filteraccept = 6;
constexpr uint16_t isb_osdrop = 7;
constexpr uint16_t isb_usrdeliv = 8;

// Records of a name resolution block (§4.5), which look like options.
constexpr uint16_t nrb_record_ipv4 = 1;
constexpr uint16_t nrb_record_ipv6 = 2;

}  // namespace sanscope::pcapng
