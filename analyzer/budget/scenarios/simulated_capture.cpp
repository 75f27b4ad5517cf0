// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/budget/scenarios/simulated_capture.h"

#include <cstdint>

#include "analyzer/ingest/packet_batch.h"
#include "analyzer/net/testing/frame_builder.h"
#include "analyzer/sender/testing/wire_format.h"
#include "analyzer/vocabulary/iscsi_port.h"

namespace sanscope::simulated {
namespace {

constexpr const char* initiator_address = "10.0.0.1";
constexpr const char* target_address = "10.0.1.1";
constexpr uint16_t initiator_port = 50'000;

frames::ByteVector frame_of(const SeenSegment& seen, const SenderOptions& agreed) {
    frames::Ipv4 ip;
    ip.source = seen.by_initiator ? initiator_address : target_address;
    ip.destination = seen.by_initiator ? target_address : initiator_address;
    ip.id = seen.wire.ip_id;
    frames::Tcp tcp;
    tcp.source_port = seen.by_initiator ? initiator_port : iscsi_port;
    tcp.destination_port = seen.by_initiator ? iscsi_port : initiator_port;
    tcp.seq = seen.wire.seq.value;
    tcp.ack = seen.wire.ack.value;
    tcp.flags = seen.wire.flags;
    tcp.window = window_field(seen.wire);
    tcp.options = tcp_options(seen.wire, agreed);
    return frames::ethernet(frames::ipv4(ip, frames::tcp(tcp, seen.payload))).bytes;
}

}  // namespace

SimulatedCapture::SimulatedCapture(const std::vector<SeenSegment>& seen,
                                   const SimulatedSender::Options& agreed) {
    const SenderOptions options{agreed.mss, agreed.sack, agreed.timestamps};
    PacketBatch batch;
    std::vector<DecodedPacket> decoded;
    batch.packets.resize(1);
    for (const SeenSegment& segment : seen) {
        const frames::ByteVector bytes = frame_of(segment, options);
        RawPacket& packet = batch.packets[0];
        packet.data = bytes.data();
        packet.wire_length = packet.captured_length = static_cast<uint32_t>(bytes.size());
        packet.time_ns = segment.time_ns;
        decode_batch(batch, decoded);
        engine_.process(batch, decoded);
        ++batch.first_packet;
    }
    engine_.finish();
    const auto& rows = engine_.store().commands();
    for (uint64_t number = 1; number <= rows.size(); ++number) {
        if (engine_.store().command(number).opcode != unknown<uint16_t>) commands_.emplace_back(number);
    }
}

}  // namespace sanscope::simulated
