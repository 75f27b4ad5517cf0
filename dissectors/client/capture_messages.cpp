// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/client/capture_messages.h"

namespace sanscope {

v1::OpenCapture open_message(std::span<const CaptureInterface> interfaces, int64_t first_packet_time_ns) {
    v1::OpenCapture message;
    const bool pcapng = interfaces.empty() || interfaces.front().described;
    message.set_format(pcapng ? v1::OpenCapture::PCAPNG : v1::OpenCapture::PCAP);
    message.set_first_packet_time_ns(first_packet_time_ns);
    if (!pcapng) {
        v1::CaptureInterface& interface = *message.mutable_interface();
        interface.set_link_type(static_cast<uint32_t>(interfaces.front().link_type));
        interface.set_snap_length(interfaces.front().snap_length);
    }
    return message;
}

bool fill_sections(const PcapngSections& sections, uint64_t last, size_t& next, v1::AddSections& message) {
    constexpr size_t bytes_at_once = size_t{1} << 20;
    size_t bytes = 0;
    v1::SectionBlocks* open = nullptr;
    for (; next < sections.blocks() && bytes < bytes_at_once; ++next) {
        const PcapngSections::Block block = sections.block(next);
        if (block.before_packet > last) break;
        if (open == nullptr || open->section() != block.section) {
            open = message.add_sections();
            open->set_section(block.section);
            open->set_big_endian(sections.order_of(block.section).swapped);
        }
        std::string& blocks = block.kind == PcapngSections::Kind::interface ? *open->mutable_interfaces()
                                                                            : *open->mutable_others();
        blocks.append(reinterpret_cast<const char*>(block.bytes.data()), block.bytes.size());
        bytes += block.bytes.size();
    }
    return open != nullptr;
}

void fill_packet(const RawPacket& packet, uint64_t number, v1::CapturedPacket& message) {
    message.set_number(static_cast<uint32_t>(number));
    message.set_time_ns(packet.time_ns);
    message.set_wire_length(packet.wire_length);
    message.set_data(packet.data, packet.captured_length);
}

void fill_block(std::span<const uint8_t> block, const PcapngSections& sections, uint64_t number,
                v1::CapturedPacket& message) {
    message.set_number(static_cast<uint32_t>(number));
    message.set_section(sections.section_of(number));
    message.set_big_endian(sections.order_of(message.section()).swapped);
    message.set_block(block.data(), block.size());
}

}  // namespace sanscope
