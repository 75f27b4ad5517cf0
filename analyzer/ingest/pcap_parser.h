// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "analyzer/base/result.h"
#include "analyzer/ingest/file_byte_order.h"
#include "analyzer/ingest/record_parser.h"

namespace sanscope {

// What the header of a pcap file says (draft-ietf-opsawg-pcap, and the variants that came before and beside
// it).
struct PcapHeader {
    // How records hold the captured and the original length.
    enum class Lengths : uint8_t {
        captured_first,
        captured_last,  // before version 2.3, and DG/UX's 543.0
        smaller_first,  // 2.3: written both ways, so the smaller one is the captured
    };

    FileByteOrder order;
    uint32_t length = 0;         // bytes of this header
    uint32_t record_header = 0;  // bytes of each record's header
    uint32_t fraction_ns = 0;    // nanoseconds in one unit of a record's fraction of a second
    Lengths lengths = Lengths::captured_first;
    LinkType link_type = LinkType::ethernet;
    uint32_t snap_length = 0;  // 0 where unlimited
};

// How many bytes the header takes, going by its first four; 0 where they are no pcap file's.
size_t pcap_header_length(std::span<const uint8_t> first_bytes);

// Reads the header. `bytes` hold at least pcap_header_length(). An Error for a version that never was.
Result<PcapHeader> read_pcap_header(std::span<const uint8_t> bytes);

// The packets of a pcap file in any of the layouts of PcapHeader.
class PcapParser final : public RecordParser {
  public:
    PcapParser(const PcapHeader& header, std::string file);

    Progress parse(std::span<const uint8_t> bytes, std::vector<RawPacket>& packets) override;
    const std::optional<FormatFault>& fault() const override { return fault_; }
    std::optional<FormatFault> fault_at_end(size_t left) const override;
    const std::vector<CaptureInterface>& interfaces() const override { return interfaces_; }

  private:
    PcapHeader header_;
    uint32_t captured_limit_;  // no record holds more
    uint64_t position_ = 0;    // bytes consumed so far
    std::optional<FormatFault> fault_;
    std::vector<CaptureInterface> interfaces_;  // the one of the header
};

}  // namespace sanscope
