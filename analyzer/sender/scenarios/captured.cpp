// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/scenarios/captured.h"

#include <algorithm>
#include <cstdint>

#include "analyzer/net/decoded_packet.h"
#include "analyzer/sender/connection_senders.h"
#include "analyzer/sender/testing/wire_format.h"

namespace sanscope::simulated {
namespace {

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
    packet.window = window_field(segment);
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
        std::vector<uint8_t> options = tcp_options(tapped.segment, simulation.sender_options());
        const bool cut = options.size() > most_options;
        options.resize(std::min(options.size(), most_options));
        DecodedPacket packet = decoded(tapped.segment, tapped.from_sender, options);
        packet.options_cut = cut;
        senders.on_packet(tapped.from_sender ? Side::a : Side::b, packet, ++number, tapped.time_ns);
    }
    senders.finish();
    senders.describe(Side::a, store_.connection(1));
    for (const WindowRow& row : store_.windows()) {
        if (row.sender == Side::a) windows_.push_back(row);
    }
}

const SenderSummary* Captured::sender() const {
    for (const SenderSummary& summary : store_.senders()) {
        if (summary.side() == Side::a) return &summary;
    }
    return nullptr;
}

std::vector<TrueTransition> Captured::transitions() const {
    std::vector<TrueTransition> all;
    for (const CaTransitionRow& row : store_.ca_transitions()) {
        if (row.sender == Side::a) all.push_back({row.packet, row.time_ns, row.from, row.to});
    }
    return all;
}

std::optional<WindowRow> Captured::window_at(int64_t time_ns) const {
    const auto after =
        std::upper_bound(windows_.begin(), windows_.end(), time_ns,
                         [](int64_t time, const WindowRow& row) { return time < row.time_ns; });
    return after == windows_.begin() ? std::nullopt : std::optional(*(after - 1));
}

}  // namespace sanscope::simulated
