// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/header_keeper.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "captures/recorder/recording_blocks.h"
#include "captures/scrub/frame_headers.h"

#include "analyzer/net/decode_frame.h"

namespace sanscope {
namespace {

constexpr size_t least_block = packet_block_head + 4;

uint32_t word(std::span<const uint8_t> block, size_t at) {
    uint32_t value;
    std::memcpy(&value, block.data() + at, sizeof value);
    return value;
}

uint32_t length_of(std::span<const uint8_t> block) {
    return word(block, 4);
}
uint32_t interface_of(std::span<const uint8_t> block) {
    return word(block, 8);
}
int64_t time_ns_of(std::span<const uint8_t> block) {
    return static_cast<int64_t>(uint64_t{word(block, 12)} << 32 | word(block, 16));
}
uint32_t captured_of(std::span<const uint8_t> block) {
    return word(block, 20);
}
uint32_t wire_length_of(std::span<const uint8_t> block) {
    return word(block, 24);
}

}  // namespace

bool is_followed_link_type(uint16_t link_type) {
    switch (static_cast<LinkType>(link_type)) {
        case LinkType::null:
        case LinkType::ethernet:
        case LinkType::raw_bsd:
        case LinkType::raw_openbsd:
        case LinkType::raw:
        case LinkType::loop:
        case LinkType::linux_sll:
        case LinkType::ipv4:
        case LinkType::ipv6:
        case LinkType::linux_sll2:
            return true;
        case LinkType::ppp:
        case LinkType::fddi:
        case LinkType::ppp_hdlc:
        case LinkType::ppp_ether:
        case LinkType::cisco_hdlc:
        case LinkType::ppi:
        case LinkType::erf:
        case LinkType::ppp_with_direction:
        case LinkType::nflog:
        case LinkType::netlink:
        case LinkType::not_a_packet:
            break;
    }
    return false;
}

HeaderKeeper::HeaderKeeper(std::vector<uint16_t> link_types, BlockOutput& output, const Limits& limits)
    : link_types_(std::move(link_types)), output_(output), limits_(limits), follower_(limits.follower) {}

void HeaderKeeper::take_blocks(std::span<const uint8_t> blocks, Clock::time_point now) {
    while (blocks.size() >= least_block) {
        const size_t length = length_of(blocks);
        if (length < least_block || length > blocks.size()) break;
        const auto block = blocks.first(length);
        if (captured_of(block) <= length - least_block) {
            take({.interface = interface_of(block),
                  .time_ns = time_ns_of(block),
                  .bytes = block.subspan(packet_block_head, captured_of(block)),
                  .wire_length = wire_length_of(block)},
                 now);
        }
        blocks = blocks.subspan(length);
    }
    output_.hand_over();
}

void HeaderKeeper::take(const CapturedPacket& packet, Clock::time_point now) {
    if (packet.interface >= link_types_.size()) return;
    const uint8_t* const frame = packet.bytes.data();
    const auto captured = static_cast<uint32_t>(packet.bytes.size());
    const auto link_type = static_cast<LinkType>(link_types_[packet.interface]);
    DecodedPacket decoded;
    decode_frame(link_type, frame, captured, packet.wire_length, decoded);
    const uint32_t headers = frame_headers_length(link_type, frame, captured, decoded);
    const bool has_payload = decoded.kind == DecodedPacket::Kind::tcp && decoded.payload_length > 0;
    const uint32_t payload_captured =
        has_payload ? std::min(decoded.payload_captured, captured - headers) : 0;
    const auto payload = packet.bytes.subspan(headers, payload_captured);
    follower_.follow(decoded, ++number_, packet.time_ns);

    PacketParts parts;
    const bool known = follower_.settle(payload, parts);
    if (known && waiting_.empty()) return put_kept(packet, headers, parts, payload);
    Waiting waiting{.packet = packet, .since = now};
    waiting.packet.bytes = {};
    if (known) {
        waiting.captured = note_cut(headers, parts, payload_captured);
        bytes_.resize(bytes_.size() + waiting.captured);
        copy_kept(
            packet.bytes, headers, parts, payload_captured, bytes_.data() + bytes_.size() - waiting.captured,
            [](size_t, size_t) {}, [](size_t, size_t) {});
    } else {
        waiting.captured = captured;
        waiting.headers = headers;
        waiting.payload_captured = payload_captured;
        waiting.as_it_is = false;
        bytes_.insert(bytes_.end(), packet.bytes.begin(), packet.bytes.end());
    }
    waiting_.push_back(waiting);
    pass_what_is_known();
    while (too_much()) {
        pass_first(false);
        pass_what_is_known();
    }
}

// Of a packet, how much is kept.
uint32_t HeaderKeeper::note_cut(uint32_t headers, const PacketParts& parts, size_t payload_captured) {
    size_t kept_to = 0;
    const bool all_known = for_each_kept(parts, payload_captured, [&](size_t, size_t to) { kept_to = to; });
    if (parts.iscsi && !all_known && !parts.seen_before) ++out_of_step_;
    return headers + static_cast<uint32_t>(kept_to);
}

// That much of it, to `to`; zeros and what was copied are told by their places there.
template <class MakeZero, class Wrote>
void HeaderKeeper::copy_kept(std::span<const uint8_t> packet, uint32_t headers, const PacketParts& parts,
                             size_t payload_captured, uint8_t* to, const MakeZero& make_zero,
                             const Wrote& wrote) {
    if (headers > 0) std::memcpy(to, packet.data(), headers);
    wrote(0, headers);
    size_t written = headers;
    for_each_kept(parts, payload_captured, [&](size_t from, size_t end) {
        from += headers;
        end += headers;
        if (written < from) make_zero(written, from);
        std::memcpy(to + from, packet.data() + from, end - from);
        wrote(from, end);
        written = end;
    });
}

void HeaderKeeper::put_kept(const CapturedPacket& packet, uint32_t headers, const PacketParts& parts,
                            std::span<const uint8_t> payload) {
    const uint32_t captured = note_cut(headers, parts, payload.size());
    uint8_t* const to = begin_block(packet, captured);
    if (to == nullptr) return;
    WrittenRanges& ranges = output_.ranges();
    const size_t place = output_.place() + packet_block_head;
    copy_kept(
        packet.bytes, headers, parts, payload.size(), to,
        [&](size_t from, size_t end) { ranges.make_zero(to - place, place + from, place + end); },
        [&](size_t from, size_t end) { ranges.wrote(place + from, place + end); });
    end_block(packet, captured);
}

// Where so many of the packet's bytes are to be written; none if there is no room.
uint8_t* HeaderKeeper::begin_block(const CapturedPacket& packet, uint32_t captured) {
    uint8_t* const at = output_.room(packet_block_length(captured));
    if (at == nullptr) {
        ++refused_;
        return nullptr;
    }
    put_around_packet(at, packet.interface, static_cast<uint64_t>(packet.time_ns), captured,
                      packet.wire_length);
    output_.ranges().wrote(output_.place(), output_.place() + packet_block_head);
    return at + packet_block_head;
}

// They are written.
void HeaderKeeper::end_block(const CapturedPacket& packet, uint32_t captured) {
    const size_t length = packet_block_length(captured);
    output_.ranges().wrote(output_.place() + packet_block_head + captured, output_.place() + length);
    output_.add_packet(length, packet.time_ns);
}

bool HeaderKeeper::too_much() const {
    return waiting_.size() > limits_.waiting_packets || bytes_.size() - begin_ > limits_.waiting_bytes;
}

void HeaderKeeper::pass_what_is_known() {
    while (!waiting_.empty() && (waiting_.front().as_it_is || follower_.has_next())) pass_first(true);
}

void HeaderKeeper::pass_first(bool known) {
    const Waiting first = waiting_.front();
    if (!first.as_it_is && !known) follower_.give_up_holes();
    CapturedPacket packet = first.packet;
    packet.bytes = std::span<const uint8_t>(bytes_).subspan(begin_, first.captured);
    if (!first.as_it_is) {
        const auto payload = packet.bytes.subspan(first.headers, first.payload_captured);
        put_kept(packet, first.headers, follower_.next(payload), payload);
    } else if (uint8_t* const to = begin_block(packet, first.captured)) {
        if (first.captured > 0) std::memcpy(to, packet.bytes.data(), first.captured);
        output_.ranges().wrote(output_.place() + packet_block_head,
                               output_.place() + packet_block_head + first.captured);
        end_block(packet, first.captured);
    }
    begin_ += first.captured;
    waiting_.pop_front();
    if (waiting_.empty()) {
        bytes_.clear();
        begin_ = 0;
    } else if (begin_ > bytes_.size() / 2) {
        bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(begin_));
        begin_ = 0;
    }
}

void HeaderKeeper::tick(Clock::time_point now) {
    while (!waiting_.empty() && now - waiting_.front().since > limits_.longest_wait) {
        pass_first(false);
        pass_what_is_known();
    }
}

void HeaderKeeper::finish() {
    follower_.finish();
    while (!waiting_.empty()) pass_first(true);
    output_.hand_over();
}

}  // namespace sanscope
