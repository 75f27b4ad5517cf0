// SPDX-License-Identifier: GPL-3.0-or-later
#include "dissectors/client/capture_messages.h"

namespace sanscope {

v1::OpenCapture open_message(std::span<const CaptureInterface> interfaces, int64_t first_packet_time_ns) {
    v1::OpenCapture message;
    const bool pcapng = interfaces.empty() || interfaces.front().described;
    message.set_format(pcapng ? v1::OpenCapture::PCAPNG : v1::OpenCapture::PCAP);
    message.set_first_packet_time_ns(first_packet_time_ns);
    add_interfaces(interfaces, *message.mutable_interfaces());
    return message;
}

void add_interfaces(std::span<const CaptureInterface> interfaces,
                    google::protobuf::RepeatedPtrField<v1::CaptureInterface>& added) {
    for (const CaptureInterface& interface : interfaces) {
        v1::CaptureInterface& message = *added.Add();
        message.set_link_type(static_cast<uint32_t>(interface.link_type));
        message.set_snap_length(interface.snap_length);
        message.set_name(interface.name);
    }
}

void fill_packet(const RawPacket& packet, uint64_t number, v1::CapturedPacket& message) {
    message.set_number(static_cast<uint32_t>(number));
    message.set_time_ns(packet.time_ns);
    message.set_wire_length(packet.wire_length);
    message.set_interface(packet.interface);
    message.set_data(packet.data, packet.captured_length);
}

}  // namespace sanscope
