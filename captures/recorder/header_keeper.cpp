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

// Enough for one system call to be cheap, and little enough to stay in a cache.
constexpr size_t written_at_once = size_t{256} << 10;
constexpr size_t block_head = 28;  // of an enhanced packet block, before the packet
constexpr size_t least_block = block_head + 4;

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
        case LinkType::not_a_packet:
            break;
    }
    return false;
}

HeaderKeeper::HeaderKeeper(std::vector<uint16_t> link_types, Write write, const Limits& limits)
    : link_types_(std::move(link_types)),
      write_(std::move(write)),
      limits_(limits),
      follower_(limits.follower) {
    out_.reserve(2 * written_at_once);
}

void HeaderKeeper::take(std::span<const uint8_t> blocks, Clock::time_point now) {
    while (blocks.size() >= least_block) {
        const size_t length = length_of(blocks);
        if (length < least_block || length > blocks.size()) break;
        take_packet(blocks.first(length), now);
        blocks = blocks.subspan(length);
    }
    flush();
}

void HeaderKeeper::take_packet(std::span<const uint8_t> block, Clock::time_point now) {
    const uint32_t captured = captured_of(block);
    const uint32_t interface = interface_of(block);
    if (captured > block.size() - least_block || interface >= link_types_.size()) return;
    const uint8_t* const frame = block.data() + block_head;
    const auto link_type = static_cast<LinkType>(link_types_[interface]);
    DecodedPacket decoded;
    decode_frame(link_type, frame, captured, wire_length_of(block), decoded);
    const uint32_t headers = frame_headers_length(link_type, frame, captured, decoded);
    const bool has_payload = decoded.kind == DecodedPacket::Kind::tcp && decoded.payload_length > 0;
    const uint32_t payload_captured =
        has_payload ? std::min(decoded.payload_captured, captured - headers) : 0;
    const std::span<const uint8_t> payload(frame + headers, payload_captured);
    follower_.follow(decoded, ++number_, time_ns_of(block));

    Waiting waiting{
        .since = now, .is_packet = true, .headers = headers, .payload_captured = payload_captured};
    PacketParts parts;
    if (!follower_.settle(payload, parts)) {
        waiting.as_it_is = false;
        queue(block, waiting);
    } else if (waiting_.empty()) {
        append_kept(block, headers, parts, payload, out_);
        ++out_packets_;
    } else {
        block_.clear();
        append_kept(block, headers, parts, payload, block_);
        queue(block_, waiting);
    }
    pass_what_is_known();
    while (too_much()) {
        pass_first(false);
        pass_what_is_known();
    }
    if (out_.size() >= written_at_once) flush();
}

void HeaderKeeper::append_kept(std::span<const uint8_t> block, uint32_t headers, const PacketParts& parts,
                               std::span<const uint8_t> payload, std::vector<uint8_t>& into) {
    const size_t begin = into.size();
    const size_t payload_begin = begin + block_head + headers;
    into.resize(payload_begin);
    std::memcpy(into.data() + begin, block.data(), block_head + headers);
    size_t kept_to = 0;
    const bool all_known = for_each_kept(parts, payload.size(), [&](size_t from, size_t to) {
        into.resize(payload_begin + to);  // with zeros for what lies between
        std::memcpy(into.data() + payload_begin + from, payload.data() + from, to - from);
        kept_to = to;
    });
    if (parts.iscsi && !all_known) ++out_of_step_;
    const auto captured = static_cast<uint32_t>(headers + kept_to);
    const auto length = static_cast<uint32_t>(packet_block_length(captured));
    into.resize(begin + length);
    std::memcpy(into.data() + begin + 4, &length, sizeof length);
    std::memcpy(into.data() + begin + 20, &captured, sizeof captured);
    std::memcpy(into.data() + begin + length - 4, &length, sizeof length);
}

void HeaderKeeper::take_other(std::span<const uint8_t> blocks, Clock::time_point now) {
    if (waiting_.empty()) return write_(blocks, 0);
    Waiting waiting{.since = now};
    queue(blocks, waiting);
}

void HeaderKeeper::queue(std::span<const uint8_t> block, Waiting waiting) {
    waiting.length = block.size();
    bytes_.insert(bytes_.end(), block.begin(), block.end());
    waiting_.push_back(waiting);
}

bool HeaderKeeper::too_much() const {
    return waiting_.size() > limits_.waiting_blocks || bytes_.size() - begin_ > limits_.waiting_bytes;
}

void HeaderKeeper::pass_what_is_known() {
    while (!waiting_.empty() && (waiting_.front().as_it_is || follower_.has_next())) pass_first(true);
}

void HeaderKeeper::pass_first(bool known) {
    const Waiting first = waiting_.front();
    if (!first.as_it_is && !known) follower_.give_up_holes();
    const auto block = std::span<const uint8_t>(bytes_).subspan(begin_, first.length);
    if (first.as_it_is) {
        out_.insert(out_.end(), block.begin(), block.end());
    } else {
        const auto payload = block.subspan(block_head + first.headers, first.payload_captured);
        append_kept(block, first.headers, follower_.next(payload), payload, out_);
    }
    if (first.is_packet) ++out_packets_;
    begin_ += first.length;
    waiting_.pop_front();
    if (waiting_.empty()) {
        bytes_.clear();
        begin_ = 0;
    } else if (begin_ > bytes_.size() / 2) {
        bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(begin_));
        begin_ = 0;
    }
    if (out_.size() >= written_at_once) flush();
}

void HeaderKeeper::tick(Clock::time_point now) {
    while (!waiting_.empty() && now - waiting_.front().since > limits_.longest_wait) {
        pass_first(false);
        pass_what_is_known();
    }
    flush();
}

void HeaderKeeper::finish() {
    follower_.finish();
    while (!waiting_.empty()) pass_first(true);
    flush();
}

void HeaderKeeper::flush() {
    if (out_.empty()) return;
    write_(out_, out_packets_);
    out_.clear();
    out_packets_ = 0;
}

}  // namespace sanscope
