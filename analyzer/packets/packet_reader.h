// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/ingest/byte_source.h"
#include "analyzer/ingest/growing_file.h"
#include "analyzer/ingest/packet_source.h"
#include "analyzer/net/decoded_packet.h"
#include "analyzer/packets/packet_index.h"

namespace sanscope {

// The packets of one capture, read from its file in any order.
class PacketReader {
  public:
    struct Options {
        PacketNumber last = 0;  // the pass ends behind this packet; 0: with the capture
        const std::atomic<bool>* stop = nullptr;
        std::function<void(const PacketSource&, const PacketIndex&)> progress;  // called after each batch
    };

    // Passes over the capture once. What a file does not hold plainly (anything compressed, standard input) is copied to a
    // temporary file without a name meanwhile. An Error where nothing can be read, or the copy cannot be made.
    static Result<std::unique_ptr<PacketReader>> open(const std::string& path, const Options& options);

    // For a pass that someone else makes meanwhile, as analyse() does: a reader that knows no packet yet, whose index is to
    // lie in `memory`, which must outlive it,
    static Result<std::unique_ptr<PacketReader>> begin(
        const std::string& path, std::pmr::memory_resource* memory = std::pmr::get_default_resource());
    // the same of a file that is still being written (open_growing_capture()); both
    static Result<std::unique_ptr<PacketReader>> begin_growing(
        const std::string& path, std::shared_ptr<FileGrowth> growth,
        std::pmr::memory_resource* memory = std::pmr::get_default_resource());
    // with a source that is to be passed over by its owner,
    PacketSource& source_to_pass() { return *source_; }
    // each batch of it shown to the reader once parsed, in order, with its packets decoded where they are. An Error where the
    // temporary copy cannot be written.
    Result<std::monostate> add(const PacketBatch& batch, std::span<const DecodedPacket> decoded = {});
    // There are no more. Before this, packets of a file that is copied cannot be read.
    Result<std::monostate> end();

    const PacketIndex& index() const { return index_; }
    // For what the capture says of itself: interfaces, damage.
    const PacketSource& source() const { return *source_; }

    // The captured bytes of a packet of the index; of a record that is no packet, its block's body. An Error where the file
    // has changed since.
    Result<std::vector<uint8_t>> read(PacketNumber packet) const;

    // The sections of a pcapng; none for a pcap.
    const PcapngSections* sections() const { return source_->sections(); }
    // The whole block of a packet that is of a section, in the byte order of that. An Error also where it is of none.
    Result<std::vector<uint8_t>> read_block(PacketNumber packet) const;

  private:
    explicit PacketReader(std::pmr::memory_resource* memory) : index_(memory) {}
    Result<std::monostate> pass(const Options& options);
    bool copy(const RawPacket& packet, uint64_t& offset);
    Result<std::vector<uint8_t>> read_at_least(PacketNumber packet, size_t length, size_t more) const;
    bool write_copy();
    Error no_copy() const;

    std::unique_ptr<PacketSource> source_;
    PacketIndex index_;
    FileDescriptor file_;
    bool copied_ = false;     // file_ holds nothing but the packets' bytes or blocks
    std::string copy_fault_;  // why the copy ended: then nothing more is taken in
    std::vector<uint8_t> copy_buffer_;
    uint64_t copied_bytes_ = 0;  // written and still in the buffer
};

}  // namespace sanscope
