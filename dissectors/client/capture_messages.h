// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "sanscope/v1/dissection.pb.h"

#include "analyzer/ingest/packet_source.h"

namespace sanscope {

// What a capture says of itself, as sanscope-dissectd is told it.
v1::OpenCapture open_message(std::span<const CaptureInterface> interfaces, int64_t first_packet_time_ns);
void add_interfaces(std::span<const CaptureInterface> interfaces,
                    google::protobuf::RepeatedPtrField<v1::CaptureInterface>& added);

// A packet with its bytes copied.
void fill_packet(const RawPacket& packet, uint64_t number, v1::CapturedPacket& message);

}  // namespace sanscope
