// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/export/packet_export.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <vector>

#include "analyzer/export/pcapng_writer.h"
#include "analyzer/export/replacement_file.h"
#include "analyzer/ingest/pcapng_blocks.h"
#include "analyzer/ingest/pcapng_options.h"
#include "analyzer/ingest/pcapng_parser.h"

namespace sanscope {
namespace {

// Between two looks at the stop flag.
constexpr size_t packets_at_once = 1024;

Error about(const std::string& file, const Error& error) {
    return {fmt::format("{}: {}", file, error.message)};
}

// The file a reader reads, as it was named.
std::string file_of(const PacketReader& reader) {
    const auto& interfaces = reader.source().interfaces();
    return interfaces.empty() ? std::string() : interfaces.front().file;
}

// A packet with its bytes and comments.
class ReadPacket {
  public:
    // An Error where the file has changed. `packet` is one of the index.
    std::optional<Error> read(const PacketReader& reader, PacketNumber packet) {
        const PacketPlace& place = reader.index().place(packet);
        const auto& interfaces = reader.source().interfaces();
        const uint16_t interface = reader.index().interface(packet);
        comments_.clear();
        raw_ = {};
        raw_.time_ns = place.time_ns;
        raw_.captured_length = place.captured_length;
        raw_.wire_length = place.wire_length;
        raw_.interface = interface;
        raw_.link_type =
            interface < interfaces.size() ? interfaces[interface].link_type : LinkType::not_a_packet;

        const PcapngSections* const sections = reader.sections();
        const uint32_t section = sections == nullptr ? 0 : sections->section_of(packet);
        // Of no section that is kept: what kind of block it was is not known, and whose bytes it has.
        if (sections != nullptr && section == 0) raw_.link_type = LinkType::not_a_packet;
        if (raw_.link_type == LinkType::not_a_packet) return std::nullopt;
        auto bytes = sections == nullptr ? reader.read(packet) : reader.read_block(packet);
        if (!bytes) return bytes.error();
        bytes_ = std::move(*bytes);
        if (sections == nullptr) {
            raw_.data = bytes_.data();
            return std::nullopt;
        }
        return look_at_block(packet, sections->order_of(section));
    }

    const RawPacket& raw() const { return raw_; }
    const std::vector<std::string>& comments() const { return comments_; }

  private:
    std::optional<Error> look_at_block(PacketNumber packet, FileByteOrder order) {
        const size_t head = packet_head_of_block(bytes_);
        if (head == pcapng_block_head) {
            raw_.link_type = LinkType::not_a_packet;
            return std::nullopt;
        }
        constexpr size_t block_tail = 4;
        if (bytes_.size() < head + raw_.captured_length + block_tail)
            return Error{fmt::format("packet {} is no longer in the file", packet)};
        raw_.data = bytes_.data() + head;
        if (order.load32(bytes_.data()) == pcapng::simple_packet_block) return std::nullopt;
        const auto until_tail = std::span<const uint8_t>(bytes_).first(bytes_.size() - block_tail);
        const size_t options = (head + raw_.captured_length + 3) & ~size_t{3};
        for_each_pcapng_option(until_tail.subspan(std::min(options, until_tail.size())), order,
                               [&](uint16_t code, std::span<const uint8_t> value) {
                                   if (code == pcapng::opt_comment)
                                       comments_.emplace_back(value.begin(), value.end());
                               });
        return std::nullopt;
    }

    std::vector<uint8_t> bytes_;
    RawPacket raw_;
    std::vector<std::string> comments_;
};

}  // namespace

Result<PacketExport> export_packets(const PacketReader& reader, std::span<const PacketNumber> packets,
                                    const PacketNotes& notes, const std::string& target,
                                    const ExportControl& control) {
    const std::string capture = file_of(reader);
    if (const auto refused = refuse_overwriting(capture, target); !refused)
        return about(target, refused.error());
    const Result<PacketNotes> storable = storable_notes(notes);
    if (!storable) return storable.error();
    auto file = ReplacementFile::create(target);
    if (!file) return about(target, file.error());

    PacketExport outcome;
    PcapngWriter writer((*file)->sink());
    writer.add_interfaces(reader.source().interfaces());
    ReadPacket packet;
    for (size_t i = 0; i < packets.size(); i++) {
        if (i % packets_at_once == 0) {
            if (control.stopped()) {
                outcome.stopped = true;
                return outcome;
            }
            control.report_progress(i, packets.size());
        }
        if (packets[i] == 0 || packets[i] > reader.index().packets()) {
            outcome.left_out++;
            continue;
        }
        if (const auto error = packet.read(reader, packets[i])) return about(capture, *error);
        const auto noted = storable->find(packets[i]);
        if (!writer.write(packet.raw(), noted != storable->end() ? noted->second : packet.comments())) break;
    }
    writer.finish();
    if (const auto committed = (*file)->commit(); !committed) return about(target, committed.error());
    control.report_progress(packets.size(), packets.size());
    outcome.written = writer.written();
    outcome.left_out += writer.left_out();
    outcome.too_early = writer.too_early();
    return outcome;
}

}  // namespace sanscope
