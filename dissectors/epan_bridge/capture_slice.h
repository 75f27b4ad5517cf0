// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sanscope/v1/dissection.pb.h"

#include "analyzer/base/result.h"
#include "analyzer/ingest/file_byte_order.h"

namespace sanscope {

// A few packets of a capture as a capture file in memory, which Wireshark's own file reader opens by its path: so link
// types, pseudo headers, interfaces and comments are what they would be in the whole file. A later slice takes the
// place of the one before.
//
// A slice of a pcapng holds packets of one section only, with the interfaces they need. Wireshark up to 4.0 takes the
// name of a packet's interface from the interfaces of all sections in one row: those that come first in that row are
// then in front, in sections of their own.
class CaptureSlice {
  public:
    using Packets = google::protobuf::RepeatedPtrField<v1::CapturedPacket>;

    // `names_in_one_row`: as above.
    explicit CaptureSlice(bool names_in_one_row);
    CaptureSlice(const CaptureSlice&) = delete;
    CaptureSlice& operator=(const CaptureSlice&) = delete;
    ~CaptureSlice();

    void open(const v1::OpenCapture& capture);
    // Interfaces of a section, behind those known of it. An Error where they are no blocks.
    Result<std::monostate> add(const v1::SectionBlocks& blocks);

    const std::string& path() const { return path_; }
    // Puts packets from the `first` on into the file: as many as it says, at least one. An Error where that cannot be
    // done.
    Result<int> write(const Packets& packets, int first);
    // Puts a section's names and secrets into the file, and no packet.
    Result<std::monostate> write_others(const v1::SectionBlocks& blocks);

  private:
    struct Section {
        FileByteOrder order;
        std::string interfaces;
        std::vector<size_t> ends;  // of each in `interfaces`
    };

    int put_pcap(const Packets& packets, int first);
    Result<int> put_pcapng(const Packets& packets, int first);
    void put_section(FileByteOrder order);
    void put_interfaces(const Section& section, size_t count);
    void put(std::string_view bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
    Result<std::monostate> write_file();

    const bool names_in_one_row_;
    int file_ = -1;
    std::string path_;
    bool pcap_ = false;
    v1::CaptureInterface pcap_interface_;
    std::map<uint32_t, Section> sections_;
    std::vector<uint32_t> described_;  // the sections that have interfaces, in order
    std::vector<uint8_t> bytes_;
};

}  // namespace sanscope
