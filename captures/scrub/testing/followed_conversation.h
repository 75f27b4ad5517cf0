// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "captures/scrub/payload_follower.h"

#include "analyzer/iscsi/testing/pdu_builder.h"

namespace sanscope::test {

// A packet as it came out of a PayloadFollower.
struct ComeOut {
    PacketNumber packet = 0;
    bool iscsi = false;
    bool from_target = false;
    bool seen_before = false;
    std::vector<PayloadPart> parts;
    Bytes payload;

    // The bytes of all parts that `--keep headers` keeps, one after the other.
    Bytes kept() const {
        Bytes bytes;
        for (const PayloadPart& part : parts) {
            if (!is_kept_with_headers(part.kind)) continue;
            for (uint32_t i = part.offset; i < part.offset + part.length && i < payload.size(); ++i)
                bytes.push_back(payload[i]);
        }
        return bytes;
    }
    // "48 basic header segment, 8 users' data"
    std::string described() const {
        std::string text;
        for (const PayloadPart& part : parts) {
            text += (text.empty() ? "" : ", ") + std::to_string(part.length) + " " +
                    std::string(payload_kind_name(part.kind));
        }
        return text;
    }
};

// Segments between an initiator and a target, followed packet by packet.
class FollowedConversation {
  public:
    explicit FollowedConversation(const PayloadFollower::Limits& limits = {}) : follower_(limits) {}

    // Segments with the next bytes of a side, or with those at `at` bytes behind its SYN. Returns the packet's number.
    PacketNumber initiator(const Bytes& payload, std::optional<uint32_t> at = {}) {
        return add(false, payload, at);
    }
    PacketNumber target(const Bytes& payload, std::optional<uint32_t> at = {}) {
        return add(true, payload, at);
    }
    void handshake() {
        add(false, {}, {}, tcp_syn);
        add(true, {}, {}, tcp_syn | tcp_ack);
        add(false, {}, {}, tcp_ack);
    }
    // Bytes of a side that no packet holds.
    void lose(bool from_target, uint32_t length) { next_[from_target] += length; }
    void wait(int64_t ns) { time_ns_ += ns; }
    void cut_at(uint32_t bytes) { cut_ = bytes; }

    void finish() {
        follower_.finish();
        collect();
    }
    const std::vector<ComeOut>& out() const { return out_; }
    const ComeOut& of(PacketNumber packet) const { return out_.at(packet - 1); }
    size_t waiting() const { return follower_.waiting(); }

  private:
    PacketNumber add(bool from_target, const Bytes& payload, std::optional<uint32_t> at,
                     uint16_t flags = tcp_ack) {
        const auto length = static_cast<uint32_t>(payload.size());
        const uint32_t begin = at.value_or(next_[from_target]);
        next_[from_target] = std::max(next_[from_target], begin + length);
        Bytes captured(payload.begin(), payload.begin() + std::min(cut_, length));
        payloads_.push_back(captured);
        DecodedPacket packet;
        packet.kind = DecodedPacket::Kind::tcp;
        packet.source = address(from_target);
        packet.destination = address(!from_target);
        packet.source_port = from_target ? 3260 : 40000;
        packet.destination_port = from_target ? 40000 : 3260;
        packet.flags = flags;
        const uint32_t behind_syn = (flags & tcp_syn) != 0 ? 0 : 1;
        packet.seq = isn(from_target) + begin + behind_syn;
        packet.ack = isn(!from_target) + 1 + next_[!from_target];
        packet.payload = payloads_.back().data();
        packet.payload_captured = static_cast<uint32_t>(captured.size());
        packet.payload_length = length;
        time_ns_ += 1000;
        follower_.follow(packet, payloads_.size(), time_ns_);
        collect();
        return payloads_.size();
    }
    void collect() {
        while (follower_.has_next()) {
            const Bytes& payload = payloads_.at(out_.size());
            const PacketParts parts = follower_.next(payload);
            out_.push_back({parts.packet,
                            parts.iscsi,
                            parts.from_target,
                            parts.seen_before,
                            {parts.parts.begin(), parts.parts.end()},
                            payload});
        }
    }
    static IpAddress address(bool target) {
        const uint8_t bytes[] = {10, 0, 0, static_cast<uint8_t>(target ? 2 : 1)};
        return IpAddress::from_v4(bytes);
    }
    // Near the end of sequence space, which all of them cross.
    static uint32_t isn(bool target) { return target ? 0xffffff00u : 0xfffffff0u; }

    PayloadFollower follower_;
    std::vector<Bytes> payloads_;
    std::vector<ComeOut> out_;
    uint32_t next_[2] = {0, 0};
    uint32_t cut_ = UINT32_MAX;
    int64_t time_ns_ = 1'700'000'000'000'000'000;
};

}  // namespace sanscope::test
