// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/rows_by_packet.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "analyzer/store/window_stalls.h"

namespace sanscope {
namespace {

constexpr uint8_t data_out = 0x05;  // opcodes, RFC 7143 §11.2.1.2
constexpr uint8_t data_in = 0x25;

using Ends =
    std::pair<std::tuple<std::array<uint64_t, 2>, uint16_t>, std::tuple<std::array<uint64_t, 2>, uint16_t>>;

Ends ends_of(const Endpoint& one, const Endpoint& other) {
    Ends ends{{one.address.words, one.port}, {other.address.words, other.port}};
    if (ends.second < ends.first) std::swap(ends.first, ends.second);
    return ends;
}

Ends ends_of(const ConnectionRow& row) {
    return ends_of(row.initiator, row.target);
}

PacketRows::Command& command_in(PacketRows& rows, uint64_t number) {
    const auto place = std::lower_bound(
        rows.commands.begin(), rows.commands.end(), number,
        [](const PacketRows::Command& command, uint64_t wanted) { return command.number < wanted; });
    if (place != rows.commands.end() && place->number == number) return *place;
    PacketRows::Command command;
    command.number = number;
    return *rows.commands.insert(place, command);
}

}  // namespace

void PacketRows::clear() {
    commands.clear();
    pdus.clear();
    windows.clear();
    ca_transitions.clear();
    losses.clear();
}

void RowsByPacket::update() {
    pdus_.update(store_->pdus());
    windows_.update(store_->windows());
    ca_transitions_.update(store_->ca_transitions());
    losses_.update(store_->losses());
}

void RowsByPacket::finish() {
    update();
    requests_.update(store_->commands());
    responses_.update(store_->commands());
    const ChunkedRows<ConnectionRow>& connections = store_->connections();
    connections_.resize(connections.size());
    for (size_t i = 0; i < connections.size(); ++i) connections_[i] = static_cast<uint32_t>(i + 1);
    std::sort(connections_.begin(), connections_.end(), [&](uint32_t a, uint32_t b) {
        return std::pair(ends_of(connections[a - 1]), a) < std::pair(ends_of(connections[b - 1]), b);
    });
    window_stalls_ = find_window_stalls(store_->windows(), connections);
    finished_ = true;
}

void RowsByPacket::find(PacketNumber packet, PacketRows& rows) const {
    rows.clear();
    const auto into = [](std::vector<size_t>& indices) {
        return [&indices](size_t index) { indices.push_back(index); };
    };
    pdus_.find(store_->pdus(), packet, into(rows.pdus));
    windows_.find(store_->windows(), packet, into(rows.windows));
    ca_transitions_.find(store_->ca_transitions(), packet, into(rows.ca_transitions));
    losses_.find(store_->losses(), packet, into(rows.losses));
    find_commands(packet, rows);
}

void RowsByPacket::find_commands(PacketNumber packet, PacketRows& rows) const {
    const ChunkedRows<CommandRow>& commands = store_->commands();
    requests_.find(commands, packet, [&](size_t index) { command_in(rows, index + 1).request = true; });
    responses_.find(commands, packet, [&](size_t index) { command_in(rows, index + 1).response = true; });
    for (const size_t index : rows.pdus) {
        const PduRow& pdu = store_->pdus()[index];
        if (pdu.command == 0 || pdu.command > commands.size()) continue;
        const CommandRow& row = commands[pdu.command - 1];
        const bool data = pdu.data_length > 0 && (pdu.opcode == data_in || pdu.opcode == data_out);
        const bool request = row.request_packet == packet;
        const bool response = row.response_packet == packet;
        if (!data && !request && !response) continue;
        PacketRows::Command& command = command_in(rows, pdu.command);
        command.data |= data;
        command.request |= request;
        command.response |= response;
    }
}

uint32_t RowsByPacket::connection_between(const Endpoint& one, const Endpoint& other,
                                          PacketNumber packet) const {
    const ChunkedRows<ConnectionRow>& connections = store_->connections();
    const auto wanted = std::pair(ends_of(one, other), packet);
    // The last one with these ends that had begun by then.
    const auto behind = std::upper_bound(connections_.begin(), connections_.end(), wanted,
                                         [&](const auto& place, uint32_t number) {
                                             const ConnectionRow& row = connections[number - 1];
                                             return place < std::pair(ends_of(row), row.first_packet);
                                         });
    if (behind == connections_.begin()) return 0;
    const ConnectionRow& row = connections[*std::prev(behind) - 1];
    const bool holds = ends_of(row) == wanted.first && packet <= row.last_packet;
    return holds ? *std::prev(behind) : 0;
}

bool RowsByPacket::is_window_stall(size_t window) const {
    return std::binary_search(window_stalls_.begin(), window_stalls_.end(), static_cast<uint32_t>(window));
}

}  // namespace sanscope
