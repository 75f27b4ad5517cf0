// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/scenarios/captured.h"

#include <algorithm>
#include <cstdint>

#include "analyzer/net/decoded_packet.h"
#include "analyzer/sender/connection_senders.h"

namespace sanscope::simulated {
namespace {

constexpr uint8_t window_scale = 11;
constexpr uint32_t timestamp_option_bytes = 12;

void append(std::vector<uint8_t>& bytes, uint32_t value, int size) {
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8)
        bytes.push_back(static_cast<uint8_t>(value >> shift));
}

// RFC 9293 §3.1's options, RFC 7323's and RFC 2018's.
std::vector<uint8_t> options_of(const WireSegment& segment, const SenderOptions& agreed) {
    std::vector<uint8_t> bytes;
    if (segment.has(tcp_syn)) {
        append(bytes, 0x0204, 2);
        append(bytes, agreed.mss + (agreed.timestamps ? timestamp_option_bytes : 0), 2);
        append(bytes, 0x010303, 3);
        append(bytes, window_scale, 1);
        if (agreed.sack) append(bytes, 0x01010402, 4);
    }
    if (segment.has_timestamp) {
        append(bytes, 0x0101080a, 4);
        append(bytes, segment.timestamp, 4);
        append(bytes, segment.timestamp_echo, 4);
    }
    if (segment.sack_blocks > 0) {
        append(bytes, 0x010105, 3);
        append(bytes, 2u + 8u * segment.sack_blocks, 1);
        for (uint8_t i = 0; i < segment.sack_blocks; ++i) {
            append(bytes, segment.sack[i].begin.value, 4);
            append(bytes, segment.sack[i].end.value, 4);
        }
    }
    return bytes;
}

DecodedPacket decoded(const WireSegment& segment, bool from_sender, const std::vector<uint8_t>& options) {
    DecodedPacket packet;
    packet.kind = DecodedPacket::Kind::tcp;
    packet.ecn = segment.congestion_experienced ? 3 : segment.ecn_capable ? 2 : 0;
    packet.flags = segment.flags;
    packet.source_port = from_sender ? 40'000 : 3260;
    packet.destination_port = from_sender ? 3260 : 40'000;
    packet.ip_id = segment.ip_id;
    packet.seq = segment.seq.value;
    packet.ack = segment.ack.value;
    packet.payload_length = segment.length;
    packet.options = options.data();
    packet.options_length = static_cast<uint8_t>(options.size());
    const uint32_t window = segment.has(tcp_syn) ? segment.window : segment.window >> window_scale;
    packet.window = static_cast<uint16_t>(window < 65535 ? window : 65535);
    return packet;
}

}  // namespace

Captured::Captured(const Simulation& simulation, const std::vector<TappedSegment>& tap, size_t most_options) {
    uint32_t connection = 0;
    store_.add_connection(connection);
    SendBudget budget;
    ConnectionSenders senders(store_, budget, connection);
    PacketNumber number = 0;
    for (const TappedSegment& tapped : tap) {
        std::vector<uint8_t> options = options_of(tapped.segment, simulation.sender_options());
        const bool cut = options.size() > most_options;
        options.resize(std::min(options.size(), most_options));
        DecodedPacket packet = decoded(tapped.segment, tapped.from_sender, options);
        packet.options_cut = cut;
        senders.on_packet(tapped.from_sender ? Side::a : Side::b, packet, ++number, tapped.time_ns);
    }
    senders.finish();
    for (const WindowRow& row : store_.windows())
        if (row.sender == Side::a) windows_.push_back(&row);
}

const SenderSummary* Captured::sender() const {
    for (const SenderSummary& summary : store_.senders())
        if (summary.side() == Side::a) return &summary;
    return nullptr;
}

std::vector<TrueTransition> Captured::transitions() const {
    std::vector<TrueTransition> all;
    for (const CaTransitionRow& row : store_.ca_transitions())
        if (row.sender == Side::a) all.push_back({row.packet, row.time_ns, row.from, row.to});
    return all;
}

const WindowRow* Captured::window_at(int64_t time_ns) const {
    const auto after =
        std::upper_bound(windows_.begin(), windows_.end(), time_ns,
                         [](int64_t time, const WindowRow* row) { return time < row->time_ns; });
    return after == windows_.begin() ? nullptr : *(after - 1);
}

}  // namespace sanscope::simulated
