// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/export/pcapng_copier.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "analyzer/base/utf8.h"
#include "analyzer/ingest/pcapng_blocks.h"
#include "analyzer/ingest/pcapng_options.h"
#include "analyzer/ingest/pcapng_parser.h"
#include "analyzer/ingest/record_parser.h"

namespace sanscope {
namespace {

using namespace pcapng;

constexpr size_t block_tail = 4;
constexpr size_t section_length_at = 16;
constexpr uint64_t section_length_unknown = ~uint64_t{0};
constexpr size_t interface_options_at = pcapng_block_head + 8;

constexpr size_t padded(size_t length) {
    return (length + 3) & ~size_t{3};
}

void store(uint64_t value, unsigned width, FileByteOrder order, std::vector<uint8_t>& into) {
    for (unsigned i = 0; i < width; i++) {
        const unsigned shift = 8 * (order.swapped ? width - 1 - i : i);
        into.push_back(static_cast<uint8_t>(value >> shift));
    }
}

// The options of a packet block that can have some.
std::span<const uint8_t> options_of(std::span<const uint8_t> block, const RawPacket& packet) {
    const size_t begin = packet.block_head + padded(packet.captured_length);
    return block.first(block.size() - block_tail).subspan(std::min(begin, block.size() - block_tail));
}

std::string_view text_of(std::span<const uint8_t> value) {
    return {reinterpret_cast<const char*>(value.data()), value.size()};
}

}  // namespace

void PcapngCopier::append(std::span<const uint8_t> bytes) {
    out_.append({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    written_ += bytes.size();
}

// The parser consumes of a block at least what stands before its body, of a section header also all up to its options; and
// those it gives packets for it consumes whole, interface descriptions too.
std::optional<Error> PcapngCopier::copy(std::span<const uint8_t> bytes, std::span<const RawPacket> packets) {
    auto at = static_cast<size_t>(std::min<uint64_t>(block_left_, bytes.size()));
    block_left_ -= at;
    size_t copied = 0;
    const auto copy_until = [&](size_t end) {
        append(bytes.subspan(copied, end - copied));
        copied = end;
    };
    auto packet = packets.begin();
    while (at < bytes.size()) {
        const auto rest = bytes.subspan(at);
        if (load_le32(rest.data()) == section_header_block) {
            copy_until(at);
            begin_section(rest);
        }
        const uint32_t type = order_.load32(rest.data());
        const uint32_t length = order_.load32(rest.data() + 4);
        if (type == interface_description_block) look_at_interface(rest.first(length));
        if (packet != packets.end() && packet->data - packet->block_head == rest.data()) {
            const auto block = rest.first(length);
            ++number_;
            while (next_note_ != notes_.end() && next_note_->first < number_) ++next_note_;
            const bool named = next_note_ != notes_.end() && next_note_->first == number_;
            if (type == custom_block_not_copied) {
                copy_until(at);
                copied = at + length;
                section_->grown_by -= length;
                ++left_out_;
            } else {
                ++packets_;
                if (named && has_comments(block, *packet, next_note_->second)) {
                    ++annotated_;
                } else if (named && packet->block_head != pcapng_block_head) {
                    copy_until(at);
                    rewrite(block, *packet, next_note_->second);
                    if (block_.size() > max_record_length)
                        return Error{fmt::format("the notes on packet {} do not fit into a block", number_)};
                    append(block_);
                    copied = at + length;
                    section_->grown_by += static_cast<int64_t>(block_.size()) - length;
                    ++annotated_;
                }
            }
            ++packet;
        }
        const size_t here = std::min<size_t>(length, rest.size());
        block_left_ = length - here;
        at += here;
    }
    copy_until(bytes.size());
    read_ += bytes.size();
    return std::nullopt;
}

void PcapngCopier::begin_section(std::span<const uint8_t> block) {
    end_section();
    order_.swapped = load_le32(block.data() + 8) != byte_order_magic;
    section_ = Section{.length_at = written_ + section_length_at,
                       .declared_length = order_.load64(block.data() + section_length_at),
                       .grown_by = 0,
                       .unit = {}};
}

void PcapngCopier::end_section() {
    if (!section_ || section_->declared_length == section_length_unknown || section_->grown_by == 0) return;
    const uint64_t length = section_->declared_length + static_cast<uint64_t>(section_->grown_by);
    lengths_.push_back({section_->length_at, length, order_});
}

void PcapngCopier::look_at_interface(std::span<const uint8_t> block) {
    if (section_->unit) return;
    uint8_t resolution = 6;
    int64_t offset_seconds = 0;
    const auto options = block.first(block.size() - block_tail).subspan(interface_options_at);
    for_each_pcapng_option(options, order_, [&](uint16_t code, std::span<const uint8_t> value) {
        if (code == if_tsresol && value.size() == 1) {
            resolution = value[0];
        } else if (code == if_tsoffset && value.size() == 8) {
            offset_seconds = static_cast<int64_t>(order_.load64(value.data()));
        }
    });
    section_->unit = TimestampUnit(resolution, offset_seconds);
}

// Whether a block of any kind says just these already.
bool PcapngCopier::has_comments(std::span<const uint8_t> block, const RawPacket& packet,
                                const std::vector<std::string>& comments) const {
    const uint32_t type = order_.load32(block.data());
    if (type != enhanced_packet_block && type != packet_block) return comments.empty();
    size_t found = 0;
    bool same = true;
    for_each_pcapng_option(
        options_of(block, packet), order_, [&](uint16_t code, std::span<const uint8_t> value) {
            if (code != opt_comment) return;
            same = same && found < comments.size() && cleaned_text(text_of(value)) == comments[found];
            ++found;
        });
    return same && found == comments.size();
}

void PcapngCopier::rewrite(std::span<const uint8_t> block, const RawPacket& packet,
                           const std::vector<std::string>& comments) {
    block_.clear();
    const bool simple = order_.load32(block.data()) == simple_packet_block;
    if (simple) {
        add_enhanced_head(block, packet);
    } else {
        block_.assign(block.begin(), block.begin() + packet.block_head);
    }
    block_.insert(block_.end(), packet.data, packet.data + packet.captured_length);
    block_.resize(padded(block_.size()));

    const size_t options_begin = block_.size();
    bool comments_added = false;
    const auto add_comments_once = [&] {
        if (!comments_added) add_comments(comments);
        comments_added = true;
    };
    if (!simple) {
        for_each_pcapng_option(options_of(block, packet), order_,
                               [&](uint16_t code, std::span<const uint8_t> value) {
                                   if (code == opt_comment) {
                                       add_comments_once();
                                   } else {
                                       add_option(code, value);
                                   }
                               });
    }
    add_comments_once();
    if (block_.size() > options_begin) add_option(opt_endofopt, {});

    const auto length = static_cast<uint32_t>(block_.size() + block_tail);
    store(length, 4, order_, block_);
    std::copy(block_.end() - 4, block_.end(), block_.begin() + 4);
}

void PcapngCopier::add_enhanced_head(std::span<const uint8_t> simple_block, const RawPacket& packet) {
    const uint64_t ticks = section_->unit->to_ticks(packet.time_ns);
    constexpr uint32_t first_interface = 0;
    store(enhanced_packet_block, 4, order_, block_);
    store(simple_block.size(), 4, order_, block_);
    store(first_interface, 4, order_, block_);
    store(ticks >> 32, 4, order_, block_);
    store(ticks & 0xffffffff, 4, order_, block_);
    store(packet.captured_length, 4, order_, block_);
    store(packet.wire_length, 4, order_, block_);
}

void PcapngCopier::add_option(uint16_t code, std::span<const uint8_t> value) {
    store(code, 2, order_, block_);
    store(value.size(), 2, order_, block_);
    block_.insert(block_.end(), value.begin(), value.end());
    block_.resize(padded(block_.size()));
}

void PcapngCopier::add_comments(const std::vector<std::string>& comments) {
    for (const std::string& comment : comments)
        add_option(opt_comment, {reinterpret_cast<const uint8_t*>(comment.data()), comment.size()});
}

PcapngCopier::Ending PcapngCopier::end(std::optional<uint64_t> damage_at) {
    Ending ending{.size = written_, .lengths = {}};
    if (damage_at) {
        ending.size -= read_ - std::min(*damage_at, read_);
        const bool section_kept = section_ && section_->length_at < ending.size;
        if (section_kept && section_->declared_length != section_length_unknown) {
            // Whatever it was, it is not whole.
            lengths_.push_back({section_->length_at, section_length_unknown, order_});
        }
    } else {
        end_section();
    }
    section_.reset();
    ending.lengths = std::move(lengths_);
    return ending;
}

}  // namespace sanscope
