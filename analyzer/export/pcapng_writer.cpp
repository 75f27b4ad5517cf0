// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/export/pcapng_writer.h"

#include <algorithm>

#include "analyzer/export/pcapng_encoding.h"
#include "analyzer/ingest/pcapng_parser.h"
#include "analyzer/ingest/record_parser.h"

namespace sanscope {
using namespace pcapng;

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

void PcapngWriter::describe(LinkType link_type, uint32_t snap_length, std::string_view name) {
    name = name.substr(0, PcapngParser::max_name_length);
    constexpr std::string_view resolution(&nanoseconds, 1);
    const uint32_t length = block_frame + 8 + (name.empty() ? 0 : option_length(name)) +
                            option_length(resolution) + end_of_options_length;
    append_integer(blocks_, interface_description_block);
    append_integer(blocks_, length);
    append_integer(blocks_, static_cast<uint16_t>(link_type));
    append_integer(blocks_, uint16_t{0});
    append_integer(blocks_, snap_length);
    if (!name.empty()) append_option(blocks_, if_name, name);
    append_option(blocks_, if_tsresol, resolution);
    append_end_of_options(blocks_);
    append_integer(blocks_, length);
    described_.push_back(link_type);
}

bool PcapngWriter::add_interfaces(std::span<const CaptureInterface> interfaces) {
    for (size_t i = numbers_.size(); i < interfaces.size(); i++) {
        numbers_.push_back(static_cast<uint32_t>(described_.size()));
        describe(interfaces[i].link_type, interfaces[i].snap_length, interfaces[i].name);
    }
    return blocks_.ok();
}

uint32_t PcapngWriter::number_for(const RawPacket& packet) {
    const auto fits = [&](uint32_t number) { return described_[number] == packet.link_type; };
    if (packet.interface < numbers_.size() && fits(numbers_[packet.interface]))
        return numbers_[packet.interface];
    const auto substitute = std::find_if(substitutes_.begin(), substitutes_.end(), fits);
    if (substitute != substitutes_.end()) return *substitute;
    substitutes_.push_back(static_cast<uint32_t>(described_.size()));
    describe(packet.link_type, 0, {});
    return substitutes_.back();
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
    if (packet.time_ns < 0) before_epoch_++;
    const auto ticks = static_cast<uint64_t>(std::max<int64_t>(packet.time_ns, 0));
    const uint32_t number = number_for(packet);
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
