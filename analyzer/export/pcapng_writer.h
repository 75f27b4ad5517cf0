// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/export/block_writer.h"
#include "analyzer/export/byte_sink.h"
#include "analyzer/ingest/packet_batch.h"
#include "analyzer/ingest/packet_source.h"
#include "analyzer/ingest/resolved_names.h"

namespace sanscope {

// The longest comment that an option of a pcapng block holds, in bytes.
constexpr size_t max_comment_length = 65535;

// Writes packets as one little-endian pcapng section (draft-ietf-opsawg-pcapng), times in nanoseconds. It streams:
// nothing but a block of 64 KiB is held back. The section header goes out first, whatever follows, so that a file
// without packets is a capture too.
//
//     PcapngWriter writer(sink);
//     while (source.claim(batch)) {
//         source.load(batch); source.parse(batch);
//         writer.add_interfaces(source.interfaces());
//         for (const RawPacket& packet : batch.packets) writer.write(packet);
//     }
//     if (!writer.finish()) … sink.error() …
//
// What comes back from the file differs from what was written in one thing: `interface` counts what was written here.
// Packets from before the epoch have interfaces of their own, which are called as the others are: the count of ticks is
// unsigned, and begins earlier there (if_tsoffset).
class PcapngWriter {
  public:
    explicit PcapngWriter(ByteSink& sink);

    // Describes interfaces: all that a source has met so far, of which those described by an earlier call are passed
    // over. Number n of them is RawPacket::interface n. False when the sink refused.
    bool add_interfaces(std::span<const CaptureInterface> interfaces);

    // Writes one packet, or counts it as left out. A packet whose interface is not described, or is of another link
    // type than the packet, gets a nameless one of its link type. `comments`: what is said of it, in UTF-8, each of
    // max_comment_length at most. False when the sink refused, now or before.
    bool write(const RawPacket& packet, std::span<const std::string> comments = {});

    // Writes names of hosts, in name resolution blocks (§4.5). False when the sink refused.
    bool add_names(const ResolvedNames& names);

    // Writes what is held back; must be called. False when the sink has not taken everything.
    bool finish() { return blocks_.finish(); }

    uint64_t written() const { return written_; }
    // Not written: what is no packet (LinkType::not_a_packet, whose kind of block is not known any more), and packets
    // too long, with their comments, for a block that this project's reader believes.
    uint64_t left_out() const { return left_out_; }
    // Written with a later time than theirs, for it is one that no offset in whole seconds reaches: within a second of the
    // earliest that 64 bits of nanoseconds hold.
    uint64_t too_early() const { return too_early_; }

  private:
    enum class Since : uint8_t { epoch, earliest };

    void describe(LinkType link_type, uint32_t snap_length, std::string_view name, Since since);
    uint32_t number_for(const RawPacket& packet);
    uint32_t number_before_epoch(uint32_t number);

    BlockWriter blocks_;
    struct Described {
        LinkType link_type = LinkType::ethernet;
        uint32_t snap_length = 0;
        std::string name;
        std::optional<uint32_t> before_epoch;  // the number of that for packets from before the epoch
    };
    std::vector<Described> described_;   // by number in the file
    std::vector<uint32_t> numbers_;      // of the source's interfaces in the file
    std::vector<uint32_t> substitutes_;  // nameless ones in the file, a link type each
    uint64_t written_ = 0;
    uint64_t left_out_ = 0;
    uint64_t too_early_ = 0;
};

}  // namespace sanscope
