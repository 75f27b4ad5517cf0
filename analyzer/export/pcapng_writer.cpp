// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/export/pcapng_writer.h"

#include <algorithm>
#include <limits>

#include "analyzer/export/pcapng_encoding.h"
#include "analyzer/ingest/pcapng_parser.h"
#include "analyzer/ingest/record_parser.h"
#include "analyzer/vocabulary/ip_address.h"

namespace sanscope {
using namespace pcapng;

namespace {

// The first whole second of those that 64 bits of nanoseconds hold.
constexpr int64_t earliest_second = std::numeric_limits<int64_t>::min() / 1'000'000'000;
constexpr uint32_t tsoffset_option_length = 4 + sizeof(int64_t);
// A record has no length of its own in the block: many blocks are read sooner than one large one.
constexpr size_t most_in_name_block = size_t{32} * 1024;

}  // namespace

PcapngWriter::PcapngWriter(ByteSink& sink) : blocks_(sink) {
    constexpr std::string_view application = "sanscope " SANSCOPE_VERSION;
    constexpr uint32_t length = block_frame + 16 + option_length(application) + end_of_options_length;
    append_integer(blocks_, section_header_block);
    append_integer(blocks_, length);
    append_section_start(blocks_);
    append_option(blocks_, shb_userappl, application);
    append_end_of_options(blocks_);
    append_integer(blocks_, length);
}

void PcapngWriter::describe(LinkType link_type, uint32_t snap_length, std::string_view name, Since since) {
    name = name.substr(0, PcapngParser::max_name_length);
    constexpr std::string_view resolution(&nanoseconds, 1);
    const uint32_t length = block_frame + 8 + (name.empty() ? 0 : option_length(name)) +
                            option_length(resolution) +
                            (since == Since::earliest ? tsoffset_option_length : 0) + end_of_options_length;
    append_integer(blocks_, interface_description_block);
    append_integer(blocks_, length);
    append_integer(blocks_, static_cast<uint16_t>(link_type));
    append_integer(blocks_, uint16_t{0});
    append_integer(blocks_, snap_length);
    if (!name.empty()) append_option(blocks_, if_name, name);
    append_option(blocks_, if_tsresol, resolution);
    if (since == Since::earliest) append_option(blocks_, if_tsoffset, static_cast<uint64_t>(earliest_second));
    append_end_of_options(blocks_);
    append_integer(blocks_, length);
    described_.push_back({link_type, snap_length, std::string(name), std::nullopt});
}

bool PcapngWriter::add_interfaces(std::span<const CaptureInterface> interfaces) {
    for (size_t i = numbers_.size(); i < interfaces.size(); i++) {
        numbers_.push_back(static_cast<uint32_t>(described_.size()));
        describe(interfaces[i].link_type, interfaces[i].snap_length, interfaces[i].name, Since::epoch);
    }
    return blocks_.ok();
}

uint32_t PcapngWriter::number_for(const RawPacket& packet) {
    const auto fits = [&](uint32_t number) { return described_[number].link_type == packet.link_type; };
    if (packet.interface < numbers_.size() && fits(numbers_[packet.interface]))
        return numbers_[packet.interface];
    const auto substitute = std::find_if(substitutes_.begin(), substitutes_.end(), fits);
    if (substitute != substitutes_.end()) return *substitute;
    substitutes_.push_back(static_cast<uint32_t>(described_.size()));
    describe(packet.link_type, 0, {}, Since::epoch);
    return substitutes_.back();
}

uint32_t PcapngWriter::number_before_epoch(uint32_t number) {
    if (!described_[number].before_epoch) {
        const Described like = described_[number];
        described_[number].before_epoch = static_cast<uint32_t>(described_.size());
        describe(like.link_type, like.snap_length, like.name, Since::earliest);
    }
    return *described_[number].before_epoch;
}

bool PcapngWriter::add_names(const ResolvedNames& names) {
    std::string body;
    const auto write_block = [&] {
        if (body.empty()) return;
        append_end_of_options(body);
        append_block(blocks_, name_resolution_block, body);
        body.clear();
    };
    for (const auto& [address, name] : names.all()) {
        const bool is_v4 = IpAddress::from_v6(address.data()).is_v4();
        std::string value(reinterpret_cast<const char*>(address.data()), address.size());
        if (is_v4) value.erase(0, address.size() - 4);
        value += name;
        value += '\0';
        append_option(body, is_v4 ? nrb_record_ipv4 : nrb_record_ipv6, value);
        if (body.size() >= most_in_name_block) write_block();
    }
    write_block();
    return blocks_.ok();
}

bool PcapngWriter::write(const RawPacket& packet, std::span<const std::string> comments) {
    uint64_t options = comments.empty() ? 0 : end_of_options_length;
    for (const std::string& comment : comments) options += option_length(comment);
    constexpr uint32_t longest = max_record_length - block_frame - packet_fields;
    if (packet.link_type == LinkType::not_a_packet || options > longest ||
        packet.captured_length > longest - options) {
        left_out_++;
        return blocks_.ok();
    }
    constexpr int64_t earliest_ns = earliest_second * 1'000'000'000;
    uint32_t number = number_for(packet);
    auto ticks = static_cast<uint64_t>(packet.time_ns);
    if (packet.time_ns < 0) {
        number = number_before_epoch(number);
        if (packet.time_ns < earliest_ns) too_early_++;
        ticks = static_cast<uint64_t>(std::max(packet.time_ns, earliest_ns) - earliest_ns);
    }
    const uint32_t length =
        block_frame + packet_fields + padded(packet.captured_length) + static_cast<uint32_t>(options);
    append_integer(blocks_, enhanced_packet_block);
    append_integer(blocks_, length);
    append_integer(blocks_, number);
    append_integer(blocks_, static_cast<uint32_t>(ticks >> 32));
    append_integer(blocks_, static_cast<uint32_t>(ticks));
    append_integer(blocks_, packet.captured_length);
    append_integer(blocks_, packet.wire_length);
    append_padded(blocks_, {reinterpret_cast<const char*>(packet.data), packet.captured_length});
    if (!comments.empty()) {
        for (const std::string& comment : comments) append_option(blocks_, opt_comment, comment);
        append_end_of_options(blocks_);
    }
    append_integer(blocks_, length);
    written_++;
    return blocks_.ok();
}

}  // namespace sanscope
