// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/pcap_parser.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace sanscope {
namespace {

struct Variant {
    uint32_t magic;
    uint32_t header_length;
    uint32_t record_header;
    uint32_t fraction_ns;
};

constexpr std::array variants{
    Variant{0xa1b2c3d4, 24, 16, 1000},
    Variant{0xa1b23c4d, 24, 16, 1},
    // Kuznetzov's patched libpcap adds the interface index, protocol and packet type to each record's header.
    Variant{0xa1b2cd34, 24, 24, 1000},
    // IXIA's hardware and software captures add the size of all records to the file's header.
    Variant{0x1c0001ac, 28, 16, 1},
    Variant{0x1c0001ab, 28, 16, 1000},
};

// What libpcap and Wireshark hold the largest packet to be, whatever the file's own snap length.
constexpr uint32_t usual_max_captured = 262144;

const Variant* find_variant(uint32_t magic) {
    const auto* found = std::find_if(variants.begin(), variants.end(),
                                     [magic](const Variant& v) { return v.magic == magic; });
    return found == variants.end() ? nullptr : found;
}

// AIX writes version 2.2 with the interface type of the SNMP tables (RFC 1573 ifType) for the link type, and
// nanoseconds. No other writer of 2.2 is known to have meant anything by these numbers.
bool adapt_to_aix(uint32_t network, PcapHeader& header) {
    switch (network) {
        case 6:
            header.link_type = LinkType::ethernet;
            break;
        case 9:
            header.link_type = LinkType{6};  // Token Ring
            break;
        case 15:
            header.link_type = LinkType{10};  // FDDI
            break;
        case 24:
            header.link_type = LinkType::null;
            break;
        default:
            return false;
    }
    header.fraction_ns = 1;
    return true;
}

}  // namespace

size_t pcap_header_length(std::span<const uint8_t> first_bytes) {
    if (first_bytes.size() < 4) return 0;
    const Variant* variant = find_variant(load_le32(first_bytes.data()));
    if (variant == nullptr) variant = find_variant(load_be32(first_bytes.data()));
    return variant == nullptr ? 0 : variant->header_length;
}

Result<PcapHeader> read_pcap_header(std::span<const uint8_t> bytes) {
    PcapHeader header;
    const uint8_t* p = bytes.data();
    const Variant* variant = find_variant(load_le32(p));
    if (variant == nullptr) {
        header.order.swapped = true;
        variant = find_variant(load_be32(p));
    }
    header.length = variant->header_length;
    header.record_header = variant->record_header;
    header.fraction_ns = variant->fraction_ns;

    const unsigned major = header.order.load16(p + 4);
    const unsigned minor = header.order.load16(p + 6);
    const uint32_t network = header.order.load32(p + 20);
    header.snap_length = header.order.load32(p + 16);
    // The upper half shows the length of the frame check sequence, and formerly gave a class of link types.
    header.link_type = static_cast<LinkType>(network & 0xffff);
    if (major < 2) return Error{fmt::format("pcap version {}.{} is not supported", major, minor)};
    if ((major == 2 && minor < 3) || major == 543) {
        header.lengths = PcapHeader::Lengths::captured_last;
    } else if (major == 2 && minor == 3) {
        header.lengths = PcapHeader::Lengths::smaller_first;
    }
    if (major == 2 && minor == 2 && variant->magic == variants[0].magic) adapt_to_aix(network, header);
    return header;
}

PcapParser::PcapParser(const PcapHeader& header, std::string file)
    : header_(header),
      captured_limit_(std::max(usual_max_captured, std::min(header.snap_length, max_record_length))) {
    interfaces_.push_back({.file = std::move(file),
                           .name = {},
                           .link_type = header.link_type,
                           .snap_length = header.snap_length,
                           .dropped = 0,
                           .tells_dropped = false,
                           .described = false});
}

RecordParser::Progress PcapParser::parse(std::span<const uint8_t> bytes, std::vector<RawPacket>& packets) {
    if (fault_) return {bytes.size(), 0};
    size_t at = 0;
    size_t wanted = header_.record_header;
    if (position_ == 0) {
        if (bytes.size() < header_.length) return {0, header_.length};
        at = header_.length;
    }
    const PcapHeader header = header_;
    while (bytes.size() - at >= header.record_header) {
        const uint8_t* record = bytes.data() + at;
        uint32_t captured = header.order.load32(record + 8);
        uint32_t original = header.order.load32(record + 12);
        if (header.lengths == PcapHeader::Lengths::captured_last ||
            (header.lengths == PcapHeader::Lengths::smaller_first && captured > original)) {
            std::swap(captured, original);
        }
        if (captured > captured_limit_) {
            fault_ = {position_ + at,
                      fmt::format("a packet record claims {} bytes, more than the {} there can be", captured,
                                  captured_limit_)};
            return {bytes.size(), 0};
        }
        if (bytes.size() - at - header.record_header < captured) {
            wanted = header.record_header + captured;
            break;
        }
        // Seconds are unsigned, so both products together stay far below 2^63. A fraction of a second or more
        // is nonsense some writers produce; it is added up like any other.
        const int64_t seconds = header.order.load32(record);
        const int64_t fraction = header.order.load32(record + 4);
        packets.push_back({.data = record + header.record_header,
                           .time_ns = seconds * 1'000'000'000 + fraction * header.fraction_ns,
                           .captured_length = captured,
                           .wire_length = std::max(captured, original),
                           .link_type = header.link_type,
                           .interface = 0});
        at += header.record_header + captured;
    }
    position_ += at;
    return {at, wanted};
}

std::optional<FormatFault> PcapParser::fault_at_end(size_t left) const {
    if (left == 0) return std::nullopt;
    return FormatFault{position_, "the file is cut off inside a packet record"};
}

}  // namespace sanscope
