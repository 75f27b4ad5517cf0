// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/capture_format.h"

#include <array>
#include <fmt/format.h>
#include <string_view>

#include "analyzer/base/byte_order.h"
#include "analyzer/ingest/pcap_parser.h"
#include "analyzer/ingest/pcapng_parser.h"

namespace sanscope {
namespace {

constexpr size_t magic_length = 4;

struct ForeignFormat {
    uint32_t magic;  // of the first four bytes, big-endian
    std::string_view name;
};

constexpr std::array foreign_formats{
    ForeignFormat{0x474d4255, "Microsoft Network Monitor"},
    ForeignFormat{0x52545353, "Microsoft Network Monitor"},
    ForeignFormat{0x736e6f6f, "snoop"},
    ForeignFormat{0x54525349, "Network General Sniffer"},
    ForeignFormat{0x58435000, "NetXRay"},
    ForeignFormat{0x69707472, "iptrace"},
    ForeignFormat{0x05564e46, "Visual Networks"},
    ForeignFormat{0x54524e57, "HP-UX nettl"},
    ForeignFormat{0x00000200, "Tektronix K12"},
    ForeignFormat{0x55aa0000, "Accellent 5Views"},
};

// What to say of a file that is neither pcap nor pcapng.
Error not_a_capture(std::span<const uint8_t> first_bytes) {
    if (first_bytes.size() >= magic_length) {
        const uint32_t magic = load_be32(first_bytes.data());
        for (const ForeignFormat& format : foreign_formats) {
            if (format.magic == magic) {
                return Error{
                    fmt::format("a {} capture, which Wireshark's reader would have to read; "
                                "sanscope-capture-reader, of the Debian package sanscope, cannot",
                                format.name)};
            }
        }
    }
    return Error{"not a capture file (neither pcap nor pcapng)"};
}

}  // namespace

bool is_known_capture(std::span<const uint8_t> first_bytes) {
    return first_bytes.size() >= magic_length &&
           (is_pcapng(first_bytes) || pcap_header_length(first_bytes) != 0);
}

size_t capture_start_length(std::span<const uint8_t> first_bytes) {
    if (first_bytes.size() < magic_length) return magic_length;
    if (is_pcapng(first_bytes)) return pcapng_start_length;
    const size_t pcap = pcap_header_length(first_bytes);
    return pcap != 0 ? pcap : magic_length;
}

Result<std::unique_ptr<RecordParser>> make_record_parser(std::span<const uint8_t> first_bytes,
                                                         const std::string& file) {
    const size_t length = capture_start_length(first_bytes);
    if (length == magic_length) return not_a_capture(first_bytes);
    const bool pcapng = is_pcapng(first_bytes);
    if (first_bytes.size() < length) {
        return Error{fmt::format("the file is cut off inside its {} header, after {} bytes",
                                 pcapng ? "pcapng" : "pcap", first_bytes.size())};
    }
    if (pcapng) {
        const Result<FileByteOrder> start = read_pcapng_start(first_bytes);
        if (!start) return start.error();
        return std::unique_ptr<RecordParser>(std::make_unique<PcapngParser>(file));
    }
    const Result<PcapHeader> header = read_pcap_header(first_bytes);
    if (!header) return header.error();
    return std::unique_ptr<RecordParser>(std::make_unique<PcapParser>(*header, file));
}

}  // namespace sanscope
