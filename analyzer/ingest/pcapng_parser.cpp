// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/pcapng_parser.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "analyzer/ingest/kept_data_mark.h"
#include "analyzer/ingest/pcapng_blocks.h"
#include "analyzer/ingest/pcapng_options.h"

namespace sanscope {
namespace {

using namespace pcapng;

// Every block is its type, its length, a body and its length again.
constexpr uint16_t block_head = pcapng_block_head;
constexpr uint32_t block_tail = 4;
constexpr uint32_t min_block = block_head + block_tail;
constexpr uint32_t min_section_header = 28;

// Bytes before the packet's own in the bodies of the enhanced and the obsolete packet block.
constexpr uint16_t packet_fields = 20;
constexpr uint16_t simple_packet_head = block_head + 4;

// Blocks that are no packets but have a number in Wireshark, whose numbers ours are to be.
bool is_numbered_only(uint32_t type) {
    return type == custom_block || type == custom_block_not_copied || type == systemd_journal_export_block;
}

bool is_name_or_secret(uint32_t type) {
    return type == name_resolution_block || type == decryption_secrets_block;
}

}  // namespace

bool is_pcapng(std::span<const uint8_t> first_bytes) {
    return first_bytes.size() >= 4 && load_le32(first_bytes.data()) == section_header_block;
}

Result<FileByteOrder> read_pcapng_start(std::span<const uint8_t> bytes) {
    FileByteOrder order;
    if (load_le32(bytes.data() + 8) != byte_order_magic) {
        order.swapped = true;
        if (load_be32(bytes.data() + 8) != byte_order_magic) {
            return Error{"the pcapng section header has no byte-order magic"};
        }
    }
    const uint32_t length = order.load32(bytes.data() + 4);
    if (length < min_section_header || length % 4 != 0) {
        return Error{fmt::format("the pcapng section header claims to be {} bytes long", length)};
    }
    const unsigned major = order.load16(bytes.data() + 12);
    const unsigned minor = order.load16(bytes.data() + 14);
    if (major != 1) return Error{fmt::format("pcapng version {}.{} is not supported", major, minor)};
    return order;
}

uint16_t packet_head_of_block(std::span<const uint8_t> block) {
    for (const uint32_t type : {load_le32(block.data()), load_be32(block.data())}) {
        if (type == enhanced_packet_block || type == packet_block) return block_head + packet_fields;
        if (type == simple_packet_block) return simple_packet_head;
    }
    return block_head;
}

bool is_custom_block(std::span<const uint8_t> block) {
    for (const uint32_t type : {load_le32(block.data()), load_be32(block.data())}) {
        if (type == custom_block || type == custom_block_not_copied) return true;
    }
    return false;
}

void PcapngParser::fail(std::string message) {
    fault_ = {block_start_, std::move(message)};
}

RecordParser::Progress PcapngParser::parse(std::span<const uint8_t> bytes, std::vector<RawPacket>& packets) {
    const size_t had = packets.size();
    packets_ -= had;
    const Progress progress = follow_blocks(bytes, packets);
    packets_ += packets.size();
    return progress;
}

// Whether a block of that type is taken whole; the others are passed over.
bool PcapngParser::is_taken(uint32_t type, uint32_t length) const {
    return type == enhanced_packet_block || type == simple_packet_block || type == packet_block ||
           type == interface_description_block || type == interface_statistics_block ||
           is_numbered_only(type) || (is_wanted(type) && length <= max_record_length);
}

// Whether somebody asked for a block that packets do not need.
bool PcapngParser::is_wanted(uint32_t type) const {
    return (kept_ && is_name_or_secret(type)) || (names_ && type == name_resolution_block);
}

RecordParser::Progress PcapngParser::follow_blocks(std::span<const uint8_t> bytes,
                                                   std::vector<RawPacket>& packets) {
    const size_t given = bytes.size();
    const auto consume = [&](size_t count) {
        bytes = bytes.subspan(count);
        position_ += count;
    };
    const auto more = [&](size_t wanted) { return Progress{given - bytes.size(), wanted}; };

    while (!fault_) {
        if (passing_length_ != 0) {
            const size_t passed = std::min<size_t>(passing_left_, bytes.size());
            consume(passed);
            passing_left_ -= static_cast<uint32_t>(passed);
            if (passing_left_ > 0) return more(1);
            if (bytes.size() < block_tail) return more(block_tail);
            if (order_.load32(bytes.data()) != passing_length_) {
                fail("the two lengths of a block differ");
                break;
            }
            consume(block_tail);
            passing_length_ = 0;
        }

        block_start_ = position_;
        if (bytes.size() < min_block) return more(min_block);
        const uint32_t type = order_.load32(bytes.data());
        if (type == section_header_block) {
            if (bytes.size() < pcapng_start_length) return more(pcapng_start_length);
            const Result<FileByteOrder> order = read_pcapng_start(bytes);
            if (!order) {
                fail(order.error().message);
                break;
            }
            const uint32_t header_length = order->load32(bytes.data() + 4);
            data_not_kept_ = false;
            if (header_length <= max_record_length) {
                if (bytes.size() < header_length) return more(header_length);
                take_section_options(bytes.first(header_length), *order);
            }
            order_ = *order;
            section_.clear();
            if (kept_) kept_->begin_section(order_, packets_ + packets.size() + 1);
            passing_length_ = header_length;
            passing_left_ = header_length - static_cast<uint32_t>(pcapng_start_length) - block_tail;
            consume(pcapng_start_length);
            continue;
        }

        const uint32_t length = order_.load32(bytes.data() + 4);
        if (length < min_block || length % 4 != 0) {
            fail(fmt::format("a block claims to be {} bytes long", length));
            break;
        }
        if (!is_taken(type, length)) {
            passing_length_ = length;
            passing_left_ = length - min_block;
            consume(block_head);
            continue;
        }
        if (length > max_record_length) {
            fail(fmt::format("a block claims {} bytes, more than the {} there can be", length,
                             max_record_length));
            break;
        }
        if (bytes.size() < length) return more(length);
        if (order_.load32(bytes.data() + length - block_tail) != length) {
            fail("the two lengths of a block differ");
            break;
        }
        if (!take_block(type, bytes.first(length), packets)) break;
        consume(length);
    }
    return {given, 0};
}

bool PcapngParser::take_block(uint32_t type, std::span<const uint8_t> block,
                              std::vector<RawPacket>& packets) {
    const auto body = block.subspan(block_head, block.size() - min_block);
    const uint8_t* p = body.data();
    switch (type) {
        case enhanced_packet_block:
        case packet_block: {
            if (body.size() < packet_fields) break;
            // The two differ in the width of the interface number only; the obsolete one has a count of drops
            // beside it, which the interface statistics tell better.
            const PacketFields fields{
                .interface = type == packet_block ? order_.load16(p) : order_.load32(p),
                .ticks = uint64_t{order_.load32(p + 4)} << 32 | order_.load32(p + 8),
                .captured = order_.load32(p + 12),
                .original = order_.load32(p + 16),
            };
            if (!take_packet(fields, body.subspan(packet_fields), packets)) return false;
            if (notes_) take_packet_comments(body.subspan(packet_fields), fields.captured, packets);
            return true;
        }
        case simple_packet_block:
            return take_simple_packet(body, packets);
        case interface_description_block:
            if (!take_interface_description(body)) return false;
            if (kept_) kept_->add(PcapngSections::Kind::interface, block, packets_ + packets.size() + 1);
            return true;
        case interface_statistics_block:
            return take_interface_statistics(body);
        default:
            if (is_numbered_only(type)) {
                take_numbered_block(body, packets);
                return true;
            }
            if (names_ && type == name_resolution_block) names_->add_block(body, order_);
            if (kept_) kept_->add(PcapngSections::Kind::other, block, packets_ + packets.size() + 1);
            return true;
    }
    fail("a packet block is too short");
    return false;
}

bool PcapngParser::take_packet(const PacketFields& fields, std::span<const uint8_t> data,
                               std::vector<RawPacket>& packets) {
    if (fields.interface >= section_.size()) {
        fail(fmt::format("a packet is of interface {}, which is not described", fields.interface));
        return false;
    }
    if (fields.captured > data.size()) {
        fail(fmt::format("a packet block claims {} captured bytes and holds {}", fields.captured,
                         data.size()));
        return false;
    }
    const SectionInterface& interface = section_[fields.interface];
    last_time_ns_ = interface.unit.to_ns(fields.ticks);
    packets.push_back({.data = data.data(),
                       .time_ns = last_time_ns_,
                       .captured_length = fields.captured,
                       .wire_length = std::max(fields.captured, fields.original),
                       .link_type = interface.link_type,
                       .interface = interface.number,
                       .block_head = block_head + packet_fields});
    return true;
}

void PcapngParser::take_packet_comments(std::span<const uint8_t> data, uint32_t captured,
                                        const std::vector<RawPacket>& packets) {
    const size_t padded = (size_t{captured} + 3) & ~size_t{3};
    if (padded >= data.size()) return;
    for_each_pcapng_option(data.subspan(padded), order_, [&](uint16_t code, std::span<const uint8_t> value) {
        if (code == opt_comment) notes_->add(packets_ + packets.size(), value);
    });
}

void PcapngParser::take_section_options(std::span<const uint8_t> block, FileByteOrder order) {
    const auto options = block.subspan(pcapng_start_length, block.size() - pcapng_start_length - block_tail);
    for_each_pcapng_option(options, order, [&](uint16_t code, std::span<const uint8_t> value) {
        if (code == opt_comment && notes_) notes_->add_of_capture(value);
        if (is_kept_data_mark(code, value, order)) data_not_kept_ = true;
    });
}

bool PcapngParser::take_simple_packet(std::span<const uint8_t> body, std::vector<RawPacket>& packets) {
    if (body.size() < 4) {
        fail("a packet block is too short");
        return false;
    }
    if (section_.empty()) {
        fail("a packet is of interface 0, which is not described");
        return false;
    }
    // It is of the first interface, has no time, and does not say how much was captured (§4.4): what the snap
    // length left of it.
    const SectionInterface& interface = section_.front();
    const uint32_t original = order_.load32(body.data());
    const uint32_t captured =
        interface.snap_length == 0 ? original : std::min(original, interface.snap_length);
    const auto data = body.subspan(4);
    if (captured > data.size()) {
        fail(fmt::format("a packet block claims {} captured bytes and holds {}", captured, data.size()));
        return false;
    }
    packets.push_back({.data = data.data(),
                       .time_ns = last_time_ns_,
                       .captured_length = captured,
                       .wire_length = original,
                       .link_type = interface.link_type,
                       .interface = interface.number,
                       .block_head = simple_packet_head});
    return true;
}

void PcapngParser::take_numbered_block(std::span<const uint8_t> body, std::vector<RawPacket>& packets) {
    const auto length = static_cast<uint32_t>(body.size());
    packets.push_back({.data = body.data(),
                       .time_ns = last_time_ns_,
                       .captured_length = length,
                       .wire_length = length,
                       .link_type = LinkType::not_a_packet,
                       .interface = 0,
                       .block_head = block_head});
}

bool PcapngParser::take_interface_description(std::span<const uint8_t> body) {
    if (body.size() < 8) {
        fail("an interface description is too short");
        return false;
    }
    if (section_.size() == max_section_interfaces) {
        fail(fmt::format("a section describes more than {} interfaces", max_section_interfaces));
        return false;
    }
    CaptureInterface described{.file = file_,
                               .name = {},
                               .link_type = static_cast<LinkType>(order_.load16(body.data())),
                               .snap_length = order_.load32(body.data() + 4),
                               .dropped = 0,
                               .tells_dropped = false,
                               .described = true,
                               .data_not_kept = data_not_kept_};
    uint8_t resolution = 6;
    int64_t offset_seconds = 0;
    for_each_pcapng_option(body.subspan(8), order_, [&](uint16_t code, std::span<const uint8_t> value) {
        if (code == if_name) {
            const auto name = value.first(std::min(value.size(), max_name_length));
            // Some writers count a terminating zero in.
            described.name.assign(name.begin(), std::find(name.begin(), name.end(), uint8_t{0}));
        } else if (code == if_tsresol && value.size() == 1) {
            resolution = value[0];
        } else if (code == if_tsoffset && value.size() == 8) {
            offset_seconds = static_cast<int64_t>(order_.load64(value.data()));
        }
    });

    constexpr size_t last_number = std::numeric_limits<uint16_t>::max();
    section_.push_back({.unit = TimestampUnit(resolution, offset_seconds),
                        .snap_length = described.snap_length,
                        .link_type = described.link_type,
                        .number = static_cast<uint16_t>(std::min(interfaces_.size(), last_number))});
    if (interfaces_.size() <= last_number) interfaces_.push_back(std::move(described));
    return true;
}

bool PcapngParser::take_interface_statistics(std::span<const uint8_t> body) {
    if (body.size() < 12) {
        fail("an interface statistics block is too short");
        return false;
    }
    const uint32_t interface = order_.load32(body.data());
    // Packets do not hang on it, so that a wrong number is no reason to stop.
    if (interface >= section_.size()) return true;
    uint64_t dropped = 0;
    bool told = false;
    for_each_pcapng_option(body.subspan(12), order_, [&](uint16_t code, std::span<const uint8_t> value) {
        if ((code == isb_ifdrop || code == isb_osdrop) && value.size() == 8) {
            const uint64_t count = order_.load64(value.data());
            dropped = count > std::numeric_limits<uint64_t>::max() - dropped
                          ? std::numeric_limits<uint64_t>::max()
                          : dropped + count;
            told = true;
        }
    });
    // The counts are since the capture began, so that a later block stands for all before it.
    if (told) {
        interfaces_[section_[interface].number].dropped = dropped;
        interfaces_[section_[interface].number].tells_dropped = true;
    }
    return true;
}

std::optional<FormatFault> PcapngParser::fault_at_end(size_t left) const {
    if (left == 0 && passing_length_ == 0) return std::nullopt;
    return FormatFault{block_start_, "the file is cut off inside a block"};
}

}  // namespace sanscope
