// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/bench/capture_maker.h"

#include <algorithm>
#include <cstring>

#include "analyzer/base/byte_order.h"
#include "analyzer/ingest/packet_source.h"

namespace sanscope {
namespace {

constexpr uint32_t ethernet_length = 14;
constexpr uint32_t usual_snap_length = 262144;
constexpr size_t chunk_length = size_t{1} << 20;

template <class T>
void append(std::vector<uint8_t>& out, T value) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
    out.insert(out.end(), bytes, bytes + sizeof value);
}

// Writes a 16-bit field and corrects the checksum over it (RFC 1624 §3); of several, the checksum is the last's.
void store_and_correct(uint8_t* field, uint16_t value, std::initializer_list<uint8_t*> checksums) {
    const uint16_t before = load_be16(field);
    for (uint8_t* checksum : checksums) {
        uint32_t sum =
            static_cast<uint16_t>(~load_be16(checksum)) + uint32_t{static_cast<uint16_t>(~before)} + value;
        sum = (sum & 0xffff) + (sum >> 16);
        sum = (sum & 0xffff) + (sum >> 16);
        const auto corrected = static_cast<uint16_t>(~sum);
        checksum[0] = static_cast<uint8_t>(corrected >> 8);
        checksum[1] = static_cast<uint8_t>(corrected);
    }
    field[0] = static_cast<uint8_t>(value >> 8);
    field[1] = static_cast<uint8_t>(value);
}

// The repetition's ephemeral port: another for each, and never two for one.
uint16_t shift_port(uint16_t port, uint64_t repetition) {
    constexpr uint32_t first = 32768;
    constexpr uint32_t count = 28232;
    const uint64_t index = port >= first ? port - first : port;
    return static_cast<uint16_t>(first + (index + repetition * 37) % count);
}

}  // namespace

Result<CaptureMaker> CaptureMaker::make(const Shape& shape) {
    auto source = open_capture(shape.sample);
    if (!source) return source.error();
    CaptureMaker maker;
    maker.connections_ = std::max(shape.connections, 1u);
    maker.snap_length_ = shape.snap_length == 0 ? usual_snap_length : shape.snap_length;
    PacketBatch batch;
    while ((*source)->claim(batch)) {
        (*source)->load(batch);
        (*source)->parse(batch);
        for (const RawPacket& packet : batch.packets) {
            constexpr uint32_t least = ethernet_length + 20 + 20;
            if (packet.captured_length < least || load_be16(packet.data + 12) != 0x0800) continue;
            const uint8_t* ip = packet.data + ethernet_length;
            const uint32_t tcp = ethernet_length + (ip[0] & 0x0fu) * 4;
            constexpr uint8_t protocol_tcp = 6;
            if (ip[9] != protocol_tcp || packet.captured_length < tcp + 20) continue;
            if (maker.packets_.empty()) maker.first_ns_ = packet.time_ns;
            const bool from_initiator = load_be16(packet.data + tcp) > load_be16(packet.data + tcp + 2);
            const uint32_t captured = std::min(packet.captured_length, maker.snap_length_);
            maker.packets_.push_back({packet.time_ns - maker.first_ns_, maker.bytes_.size(), captured,
                                      packet.wire_length, tcp, from_initiator ? tcp : tcp + 2});
            maker.bytes_.insert(maker.bytes_.end(), packet.data, packet.data + captured);
        }
    }
    if (maker.packets_.empty()) return Error{"holds no TCP packets over IPv4 and Ethernet"};
    constexpr int64_t pause_ns = 1'000'000;
    maker.period_ns_ = maker.packets_.back().time_ns + pause_ns;
    return maker;
}

bool CaptureMaker::write(uint64_t packets, const Sink& sink) const {
    std::vector<uint8_t> out;
    out.reserve(2 * chunk_length);
    append(out, uint32_t{0xa1b23c4d});
    append(out, uint16_t{2});
    append(out, uint16_t{4});
    append(out, uint64_t{0});
    append(out, snap_length_);
    append(out, uint32_t{1});  // Ethernet

    std::vector<Lane> lanes;
    for (unsigned i = 0; i < connections_; ++i) lanes.push_back({i, 0, period_ns_ * i / connections_});
    const auto time_of = [&](const Lane& lane) { return lane.begin_ns + packets_[lane.next].time_ns; };
    using Turn = std::pair<int64_t, size_t>;
    std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
    for (size_t i = 0; i < lanes.size(); ++i) turns.emplace(time_of(lanes[i]), i);

    for (uint64_t written = 0; written < packets; ++written) {
        Lane& lane = lanes[turns.top().second];
        const size_t index = turns.top().second;
        turns.pop();
        append_record(packets_[lane.next], lane, out);
        if (out.size() >= chunk_length) {
            if (!sink(out)) return false;
            out.clear();
        }
        if (++lane.next == packets_.size()) {
            lane = {lane.repetition + connections_, 0, lane.begin_ns + period_ns_};
        }
        turns.emplace(time_of(lane), index);
    }
    return out.empty() || sink(out);
}

void CaptureMaker::append_record(const Packet& packet, const Lane& lane, std::vector<uint8_t>& out) const {
    const int64_t time_ns = first_ns_ + lane.begin_ns + packet.time_ns;
    append(out, static_cast<uint32_t>(time_ns / 1'000'000'000));
    append(out, static_cast<uint32_t>(time_ns % 1'000'000'000));
    append(out, packet.captured);
    append(out, packet.length);
    const size_t at = out.size();
    const uint8_t* frame = bytes_.data() + packet.at;
    out.insert(out.end(), frame, frame + packet.captured);

    uint8_t* ip = out.data() + at + ethernet_length;
    uint8_t* tcp = out.data() + at + packet.tcp;
    uint8_t* ip_checksum = ip + 10;
    uint8_t* tcp_checksum = tcp + 16;
    // Both hosts move to a network of their own, 10.x.y.0.
    const auto network = static_cast<uint16_t>(lane.repetition);
    for (uint8_t* address : {ip + 12, ip + 16}) {
        const auto high = static_cast<uint16_t>(10 << 8 | network >> 8);
        const auto low = static_cast<uint16_t>((network & 0xff) << 8 | address[3]);
        store_and_correct(address, high, {ip_checksum, tcp_checksum});
        store_and_correct(address + 2, low, {ip_checksum, tcp_checksum});
    }
    uint8_t* port = out.data() + at + packet.shifted_port;
    store_and_correct(port, shift_port(load_be16(port), lane.repetition), {tcp_checksum});
}

}  // namespace sanscope
