// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "sanscope/v1/dissection.pb.h"

#include "analyzer/ingest/packet_source.h"

namespace sanscope {

// What a capture says of itself, as sent to sanscope-dissectd.
v1::OpenCapture open_message(std::span<const CaptureInterface> interfaces, int64_t first_packet_time_ns);

// Of the blocks of `sections` from the one numbered `next` on, those that come before packet `last`, but no more than
// are good for one message; false where there is none. `next` goes on behind them.
bool fill_sections(const PcapngSections& sections, uint64_t last, size_t& next, v1::AddSections& message);

// A packet of a pcap, with its bytes copied.
void fill_packet(const RawPacket& packet, uint64_t number, v1::CapturedPacket& message);
// A packet of a pcapng that is of a section, its whole block copied.
void fill_block(std::span<const uint8_t> block, const PcapngSections& sections, uint64_t number,
                v1::CapturedPacket& message);

}  // namespace sanscope
