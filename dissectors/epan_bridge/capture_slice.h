// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sanscope/v1/dissection.pb.h"

#include "analyzer/base/result.h"
#include "analyzer/ingest/packet_source.h"

namespace sanscope {

// A few packets of a capture as a capture file in memory, which Wireshark's own file reader opens by its path: so link types,
// pseudo headers and interfaces are what they would be in the whole file. A later slice takes the place of the one before.
class CaptureSlice {
  public:
    using Packets = google::protobuf::RepeatedPtrField<v1::CapturedPacket>;

    CaptureSlice();
    CaptureSlice(const CaptureSlice&) = delete;
    CaptureSlice& operator=(const CaptureSlice&) = delete;
    ~CaptureSlice();

    void open(const v1::OpenCapture& capture);
    void add(const google::protobuf::RepeatedPtrField<v1::CaptureInterface>& interfaces);

    // Puts the packets from the `first` on into the file. An Error where that cannot be done.
    Result<std::string> write(const Packets& packets, int first);

  private:
    void write_pcap(const Packets& packets, int first);
    void write_pcapng(const Packets& packets, int first);

    int file_ = -1;
    std::string path_;
    bool pcap_ = false;
    std::vector<CaptureInterface> interfaces_;
    std::vector<uint8_t> bytes_;
};

}  // namespace sanscope
