// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <random>
#include <string>

#include "analyzer/engine/testing/conversation.h"
#include "analyzer/ingest/capture_builder.h"
#include "analyzer/net/testing/frame_builder.h"

namespace sanscope::testing_gui {

// A pcapng of an iSCSI session whose every name is `text`, as are the interface's and the comment of every packet.
inline test::Bytes conversation_capture(const std::string& text, unsigned commands = 60) {
    const std::string initiator = "InitiatorName=" + text + "i";
    const std::string target = "TargetName=" + text + "t";
    test::Conversation::Options options;
    options.commands = commands;
    options.initiator_key = initiator;
    options.target_key = target;
    const test::Conversation conversation(options, [random = std::mt19937(7)](uint32_t limit) mutable {
        return static_cast<uint32_t>(random() % limit);
    });
    test::PcapngBuilder builder;
    builder.section().interface({.name = text});
    uint64_t time_us = 1'700'000'000'000'000;
    for (const test::SentSegment& segment : conversation.segments) {
        frames::Ipv4 ip;
        if (segment.from_target) std::swap(ip.source, ip.destination);
        frames::Tcp tcp;
        if (segment.from_target) std::swap(tcp.source_port, tcp.destination_port);
        tcp.seq = segment.seq;
        tcp.ack = segment.ack;
        tcp.flags = segment.flags;
        const test::Bytes frame = frames::ethernet(frames::ipv4(ip, frames::tcp(tcp, segment.payload))).bytes;
        constexpr uint16_t comment = 1;
        builder.enhanced_packet_with(0, time_us += 100, frame, builder.options({{comment, text}}));
    }
    return builder.bytes();
}

}  // namespace sanscope::testing_gui
