// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "dissectors/wireshark_plugin/fields.h"
#include "dissectors/wireshark_plugin/packet_feed.h"
#include "dissectors/wireshark_plugin/packet_findings.h"

namespace sanscope::wireshark {

struct TreeContext {
    const PacketFeed& feed;
    const PacketRows& rows;                              // of the packet
    std::span<const PacketFindings::OfPacket> findings;  // likewise
    uint32_t connection = 0;                             // that it is part of; 0: not known
    int64_t slow_ns = 0;                                 // a command that takes longer is slow
    int protocol = -1;
    tvbuff_t* bytes = nullptr;
    packet_info* packet = nullptr;
};

// Writes what the rows say into the packet's tree (nullptr: only expert infos are added). What may still change before
// the feed is final is left out.
//
// Wireshark may leave these functions by longjmp(): nothing in them, nor in `context`, needs a destructor on the stack.
void write_tree(const TreeContext& context, proto_tree* tree);

// Whether the status of the command is known for good.
bool is_answer_known(const PacketFeed& feed, const CommandRow& row);

}  // namespace sanscope::wireshark
