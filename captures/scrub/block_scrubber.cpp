// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/scrub/block_scrubber.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <string_view>

#include "captures/scrub/frame_headers.h"

#include "analyzer/ingest/kept_data_mark.h"
#include "analyzer/ingest/kernel_truth_block.h"
#include "analyzer/ingest/pcapng_blocks.h"
#include "analyzer/ingest/pcapng_options.h"
#include "analyzer/ingest/pcapng_parser.h"
#include "analyzer/ingest/record_parser.h"
#include "analyzer/net/decode_frame.h"

namespace sanscope {
namespace {

using namespace pcapng;

constexpr size_t block_head = pcapng_block_head;
constexpr size_t block_tail = 4;
constexpr uint16_t packet_hash = 3;  // epb_hash, pack_hash: of bytes that are not kept

size_t padded(size_t length) {
    return (length + 3) & ~size_t{3};
}

void store(uint64_t value, unsigned width, FileByteOrder order, std::vector<uint8_t>& into) {
    for (unsigned i = 0; i < width; i++) {
        const unsigned shift = 8 * (order.swapped ? width - 1 - i : i);
        into.push_back(static_cast<uint8_t>(value >> shift));
    }
}

void add_option(uint16_t code, std::string_view value, FileByteOrder order, std::vector<uint8_t>& into) {
    store(code, 2, order, into);
    store(value.size(), 2, order, into);
    into.insert(into.end(), value.begin(), value.end());
    into.resize(padded(into.size()));
}

// Custom options may hold anything, and so may those for local use.
bool may_hold_anything(uint16_t code) {
    constexpr uint16_t first_for_local_use = 0x8000;
    return code == 2988 || code == 2989 || code == 19372 || code == 19373 || code >= first_for_local_use;
}

// The options that are copied, without their end.
void copy_options(std::span<const uint8_t> options, FileByteOrder order, bool of_packet,
                  std::vector<uint8_t>& into) {
    for_each_pcapng_option(options, order, [&](uint16_t code, std::span<const uint8_t> value) {
        if (may_hold_anything(code) || (of_packet && code == packet_hash)) return;
        add_option(code, {reinterpret_cast<const char*>(value.data()), value.size()}, order, into);
    });
}

void begin_block(uint32_t type, FileByteOrder order, std::vector<uint8_t>& block) {
    block.clear();
    store(type, 4, order, block);
    store(0, 4, order, block);
}

void end_block(FileByteOrder order, std::vector<uint8_t>& block) {
    const auto length = static_cast<uint32_t>(block.size() + block_tail);
    store(length, 4, order, block);
    std::copy(block.end() - 4, block.end(), block.begin() + 4);
}

std::string kept_data_comment() {
    return "Scrubbed by sanscope " SANSCOPE_VERSION ": " + std::string(kept_data_sentences);
}

void begin_section(FileByteOrder order, std::vector<uint8_t>& block) {
    begin_block(section_header_block, order, block);
    store(byte_order_magic, 4, order, block);
    store(1, 2, order, block);
    store(0, 2, order, block);
    store(~uint64_t{0}, 8, order, block);  // its length: not told
}

}  // namespace

// Says what was done, in a section header's options, and ends these.
void BlockScrubber::add_mark(std::vector<uint8_t>& block) const {
    add_option(opt_comment, kept_data_comment(), order_, block);
    if (rewriter_ != nullptr) add_option(opt_comment, rewriter_->comment(), order_, block);
    store(kept_data_option, 2, order_, block);
    store(4 + kept_data_text.size(), 2, order_, block);
    store(kept_data_number, 4, order_, block);
    block.insert(block.end(), kept_data_text.begin(), kept_data_text.end());
    block.resize(padded(block.size()));
    add_option(opt_endofopt, {}, order_, block);
}

void BlockScrubber::take_blocks(std::span<const uint8_t> bytes, std::span<const RawPacket> packets) {
    auto packet = packets.begin();
    while (!bytes.empty()) {
        // A block that comes in pieces: such hold no packet.
        if (passing_left_ > 0) {
            const auto here = bytes.first(std::min(passing_left_, bytes.size()));
            if (passing_kept_) passing_.insert(passing_.end(), here.begin(), here.end());
            passing_left_ -= here.size();
            bytes = bytes.subspan(here.size());
            if (passing_left_ == 0 && passing_kept_) take_block(passing_, nullptr);
            continue;
        }
        if (bytes.size() < block_head) return;
        if (load_le32(bytes.data()) == section_header_block && bytes.size() >= pcapng_start_length)
            order_.swapped = load_le32(bytes.data() + block_head) != byte_order_magic;
        const size_t length = order_.load32(bytes.data() + 4);
        if (length > bytes.size()) {
            pass_in_pieces(order_.load32(bytes.data()), length);
            continue;
        }
        const auto block = bytes.first(length);
        const bool is_packet = packet != packets.end() && packet->data - packet->block_head == block.data();
        take_block(block, is_packet ? &*packet : nullptr);
        if (is_packet) ++packet;
        bytes = bytes.subspan(length);
    }
    write_what_is_known();
}

// The parser has whole whatever it needs; of the rest, names may be long.
void BlockScrubber::pass_in_pieces(uint32_t type, size_t length) {
    passing_left_ = length;
    passing_.clear();
    passing_kept_ = type == name_resolution_block && length <= max_record_length;
    if (type == section_header_block) {
        // Of so long a header only what a section cannot be without.
        begin_section(order_, block_);
        add_mark(block_);
        end_block(order_, block_);
        queue_block(block_);
    } else if (!passing_kept_) {
        ++outcome_.blocks_left_out;
    }
}

void BlockScrubber::take_block(std::span<const uint8_t> block, const RawPacket* packet) {
    const uint32_t type = order_.load32(block.data());
    switch (type) {
        case section_header_block:
            return take_section_header(block);
        case interface_description_block:
            return take_interface(block);
        case name_resolution_block:
        case interface_statistics_block:
            return queue_copied(block);
        default:
            break;
    }
    if (packet == nullptr) {
        ++outcome_.blocks_left_out;
        return;
    }
    ++number_;
    if (packet->block_head == pcapng_block_head) return take_numbered_block(type, block);
    take_packet_block(type, block, *packet);
}

void BlockScrubber::take_section_header(std::span<const uint8_t> block) {
    first_unit_.reset();
    begin_section(order_, block_);
    const size_t options = std::min(pcapng_start_length, block.size() - block_tail);
    // A rewriter has nothing to say here but what it leaves out.
    if (rewriter_ != nullptr && pass_ == Pass::write) {
        rewriter_->rewrite_block(block, order_);
    } else {
        copy_options(block.first(block.size() - block_tail).subspan(options), order_, false, block_);
    }
    add_mark(block_);
    end_block(order_, block_);
    queue_block(block_);
}

void BlockScrubber::take_interface(std::span<const uint8_t> block) {
    constexpr size_t fixed = 8;
    const auto options = block.first(block.size() - block_tail).subspan(block_head + fixed);
    if (!first_unit_) {
        uint8_t resolution = 6;
        int64_t offset_seconds = 0;
        for_each_pcapng_option(options, order_, [&](uint16_t code, std::span<const uint8_t> value) {
            if (code == if_tsresol && value.size() == 1) resolution = value[0];
            if (code == if_tsoffset && value.size() == 8)
                offset_seconds = static_cast<int64_t>(order_.load64(value.data()));
        });
        first_unit_ = TimestampUnit(resolution, offset_seconds);
    }
    block_.assign(block.begin(), block.begin() + block_head + fixed);
    copy_options(options, order_, false, block_);
    add_option(opt_endofopt, {}, order_, block_);
    end_block(order_, block_);
    queue_copied(block_);
}

// What is no packet but has a number: others' is empty in the copy, so that the numbers of packets stand.
void BlockScrubber::take_numbered_block(uint32_t type, std::span<const uint8_t> block) {
    const auto body = block.subspan(block_head, block.size() - block_head - block_tail);
    const bool is_ours =
        type == custom_block && read_kernel_truth_block(body).kind == KernelTruthBlock::Kind::kernel_truth;
    if (is_ours) return queue_copied(block);
    ++outcome_.blocks_emptied;
    begin_block(custom_block, order_, block_);
    store(kept_data_number, 4, order_, block_);
    end_block(order_, block_);
    queue_block(block_);
}

void BlockScrubber::take_packet_block(uint32_t type, std::span<const uint8_t> block,
                                      const RawPacket& packet) {
    Item item;
    item.order = order_;
    const uint8_t* const body = block.data() + block_head;
    std::span<const uint8_t> options;
    if (type == simple_packet_block) {
        // It cannot tell how much of it was kept: it becomes an enhanced one, with the time our reader gives it.
        item.ticks = first_unit_ ? first_unit_->to_ticks(packet.time_ns) : 0;
    } else {
        item.interface = type == packet_block ? order_.load16(body) : order_.load32(body);
        item.ticks = uint64_t{order_.load32(body + 4)} << 32 | order_.load32(body + 8);
        const size_t begin = packet.block_head + padded(packet.captured_length);
        const size_t end = block.size() - block_tail;
        options = block.first(end).subspan(std::min(begin, end));
    }
    follow(item, packet, options);
}

void BlockScrubber::begin_pcap(const CaptureInterface& interface) {
    begin_section(order_, block_);
    add_option(shb_userappl, "sanscope " SANSCOPE_VERSION, order_, block_);
    add_mark(block_);
    end_block(order_, block_);
    queue_block(block_);

    begin_block(interface_description_block, order_, block_);
    store(static_cast<uint16_t>(interface.link_type), 2, order_, block_);
    store(0, 2, order_, block_);
    store(interface.snap_length, 4, order_, block_);
    constexpr char nanoseconds = 9;
    add_option(if_tsresol, {&nanoseconds, 1}, order_, block_);
    add_option(opt_endofopt, {}, order_, block_);
    end_block(order_, block_);
    queue_block(block_);
}

void BlockScrubber::take_records(std::span<const RawPacket> packets) {
    for (const RawPacket& packet : packets) {
        ++number_;
        Item item;
        // A pcap has no time before 1970.
        item.ticks = static_cast<uint64_t>(std::max<int64_t>(packet.time_ns, 0));
        follow(item, packet, {});
    }
    write_what_is_known();
}

void BlockScrubber::follow(Item item, const RawPacket& packet, std::span<const uint8_t> options) {
    DecodedPacket decoded;
    decode_frame(packet.link_type, packet.data, packet.captured_length, packet.wire_length, decoded);
    item.is_packet = true;
    item.link_type = packet.link_type;
    item.captured = packet.captured_length;
    item.wire = packet.wire_length;
    item.headers = frame_headers_length(packet.link_type, packet.data, packet.captured_length, decoded);
    item.has_payload = decoded.kind == DecodedPacket::Kind::tcp && decoded.payload_length > 0;
    item.payload_captured = item.has_payload ? decoded.payload_captured : 0;
    item.is_fragment = decoded.kind == DecodedPacket::Kind::ip_fragment;
    item.length = packet.captured_length + options.size();
    bytes_.insert(bytes_.end(), packet.data, packet.data + packet.captured_length);
    bytes_.insert(bytes_.end(), options.begin(), options.end());
    items_.push_back(item);
    follower_.follow(decoded, number_, packet.time_ns);
    write_what_is_known();
}

void BlockScrubber::queue_copied(std::span<const uint8_t> block) {
    if (rewriter_ == nullptr || pass_ == Pass::note) return queue_block(block);
    const std::vector<uint8_t> rewritten = rewriter_->rewrite_block(block, order_);
    if (!rewritten.empty()) queue_block(rewritten);
}

void BlockScrubber::queue_block(std::span<const uint8_t> block) {
    if (pass_ == Pass::note) return;
    if (items_.empty()) {
        out_.append({reinterpret_cast<const char*>(block.data()), block.size()});
        return;
    }
    Item item;
    item.length = block.size();
    bytes_.insert(bytes_.end(), block.begin(), block.end());
    items_.push_back(item);
}

std::span<uint8_t> BlockScrubber::front_bytes() {
    return std::span(bytes_).subspan(begin_, items_.front().length);
}

void BlockScrubber::write_what_is_known() {
    while (!items_.empty()) {
        const Item& item = items_.front();
        if (!item.is_packet) {
            const auto block = front_bytes();
            out_.append({reinterpret_cast<const char*>(block.data()), block.size()});
        } else {
            if (!follower_.has_next()) break;
            const auto payload = front_bytes().subspan(item.headers, item.payload_captured);
            const PacketParts parts = follower_.next(payload);
            if (pass_ == Pass::note) {
                rewriter_->note(parts, payload);
            } else {
                write_packet(item, parts);
            }
        }
        begin_ += item.length;
        items_.pop_front();
    }
    if (items_.empty()) {
        bytes_.clear();
        begin_ = 0;
    } else if (begin_ > bytes_.size() / 2) {
        bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(begin_));
        begin_ = 0;
    }
}

void BlockScrubber::write_packet(const Item& item, const PacketParts& parts) {
    const auto bytes = front_bytes();
    const auto payload = bytes.subspan(item.headers, item.payload_captured);
    if (rewriter_ != nullptr) {
        original_.assign(bytes.begin(), bytes.begin() + item.captured);
        rewriter_->rewrite_payload(parts, payload);
    }
    // Zeros where nothing is kept; the packet ends behind the last byte that is.
    uint32_t kept_to = 0;
    const bool all_known = for_each_kept(parts, payload.size(), [&](size_t begin, size_t end) {
        std::memset(payload.data() + kept_to, 0, begin - kept_to);
        kept_to = static_cast<uint32_t>(end);
    });
    uint32_t captured = item.headers + kept_to;
    if (rewriter_ != nullptr) {
        const CaptureRewriter::Frame frame{.link_type = item.link_type,
                                           .original = original_,
                                           .wire_length = item.wire,
                                           .payload_at = item.headers,
                                           .payload_kept = kept_to};
        captured = std::min(captured, rewriter_->rewrite_frame(frame, bytes.first(item.captured)));
    }

    block_.clear();
    begin_block(enhanced_packet_block, item.order, block_);
    store(item.interface, 4, item.order, block_);
    store(item.ticks >> 32, 4, item.order, block_);
    store(item.ticks & 0xffffffff, 4, item.order, block_);
    store(captured, 4, item.order, block_);
    store(item.wire, 4, item.order, block_);
    block_.insert(block_.end(), bytes.begin(), bytes.begin() + captured);
    block_.resize(padded(block_.size()));
    const size_t options_begin = block_.size();
    if (rewriter_ != nullptr) {
        const auto options = rewriter_->rewrite_packet_options(bytes.subspan(item.captured), item.order);
        block_.insert(block_.end(), options.begin(), options.end());
    } else {
        copy_options(bytes.subspan(item.captured), item.order, true, block_);
    }
    if (block_.size() > options_begin) add_option(opt_endofopt, {}, item.order, block_);
    end_block(item.order, block_);
    out_.append({reinterpret_cast<const char*>(block_.data()), block_.size()});

    ++outcome_.packets;
    outcome_.captured_bytes += item.captured;
    outcome_.kept_bytes += captured;
    if (item.is_fragment) ++outcome_.fragments;
    if (!item.has_payload) return;
    if (!parts.iscsi) ++outcome_.not_iscsi;
    if (parts.iscsi && !all_known) ++outcome_.out_of_step;
}

void BlockScrubber::finish() {
    follower_.finish();
    write_what_is_known();
}

}  // namespace sanscope
