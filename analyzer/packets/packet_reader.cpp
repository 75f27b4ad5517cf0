// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/packets/packet_reader.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <span>
#include <unistd.h>
#include <utility>

#include "analyzer/base/unnamed_file.h"
#include "analyzer/base/write_all.h"
#include "analyzer/ingest/capture_file.h"
#include "analyzer/ingest/capture_format.h"
#include "analyzer/ingest/decompressor.h"
#include "analyzer/ingest/pcapng_parser.h"
#include "analyzer/ingest/record_parser.h"

namespace sanscope {
namespace {

constexpr size_t copy_buffer_length = size_t{1} << 20;

// Of any pcapng block that is or may be a packet: where its length is, and what comes before a packet at most.
constexpr size_t block_length_at = 4;
constexpr size_t max_packet_head = 28;

// Whether packets can be read again from the file as it is.
bool is_plain(const OpenInput& input) {
    if (!input.regular_file) return false;
    std::vector<uint8_t> first(compression_magic_length);
    std::string fault;
    first.resize(read_at(input.descriptor.get(), first, 0, fault));
    return is_known_capture(first);
}

}  // namespace

Error PacketReader::no_copy() const {
    return {fmt::format("the temporary copy of its packets could not be written: {}", copy_fault_)};
}

Result<std::unique_ptr<PacketReader>> PacketReader::open(const std::string& path, const Options& options) {
    auto reader = begin(path);
    if (!reader) return reader;
    if (const auto passed = (*reader)->pass(options); !passed) return passed.error();
    return reader;
}

Result<std::unique_ptr<PacketReader>> PacketReader::begin(const std::string& path,
                                                          std::pmr::memory_resource* memory) {
    std::unique_ptr<PacketReader> reader(new PacketReader(memory));
    if (path != "-") {
        Result<OpenInput> input = open_input(path);
        if (!input) return input.error();
        if (is_plain(*input)) reader->file_ = std::move(input->descriptor);
    }
    if (reader->file_.get() < 0) {
        Result<FileDescriptor> file = unnamed_file();
        if (!file) return file.error();
        reader->file_ = std::move(*file);
        reader->copied_ = true;
        reader->copy_buffer_.reserve(copy_buffer_length);
    }
    Result<std::unique_ptr<PacketSource>> source = open_capture(path);
    if (!source) return source.error();
    reader->source_ = std::move(*source);
    reader->source_->keep_sections();
    return reader;
}

Result<std::unique_ptr<PacketReader>> PacketReader::begin_growing(const std::string& path,
                                                                  std::shared_ptr<FileGrowth> growth,
                                                                  std::pmr::memory_resource* memory) {
    std::unique_ptr<PacketReader> reader(new PacketReader(memory));
    Result<OpenInput> input = open_input(path);
    if (!input) return input.error();
    reader->file_ = std::move(input->descriptor);
    Result<std::unique_ptr<PacketSource>> source = open_growing_capture(path, std::move(growth));
    if (!source) return source.error();
    reader->source_ = std::move(*source);
    reader->source_->keep_sections();
    return reader;
}

Result<std::monostate> PacketReader::pass(const Options& options) {
    PacketBatch batch;
    const auto wanted = [&] {
        const bool stopped = options.stop != nullptr && options.stop->load(std::memory_order_relaxed);
        return !stopped && (options.last == 0 || index_.packets() < options.last);
    };
    while (wanted() && source_->claim(batch)) {
        source_->load(batch);
        source_->parse(batch);
        if (auto added = add(batch); !added) return added;
        if (options.progress) options.progress(*source_, index_);
    }
    return end();
}

Result<std::monostate> PacketReader::add(const PacketBatch& batch, std::span<const DecodedPacket> decoded) {
    if (!copy_fault_.empty()) return no_copy();  // numbers would no longer be those of the capture
    const uint8_t* const begin = batch.buffer.data() + batch.begin;
    for (size_t i = 0; i < batch.packets.size(); ++i) {
        const RawPacket& packet = batch.packets[i];
        uint64_t offset = batch.file_offset + static_cast<uint64_t>(packet.data - packet.block_head - begin);
        if (copied_ && !copy(packet, offset)) return no_copy();
        index_.add(packet, offset, decoded.empty() ? nullptr : &decoded[i]);
    }
    return std::monostate{};
}

Result<std::monostate> PacketReader::end() {
    if (!write_copy()) return no_copy();
    return std::monostate{};
}

bool PacketReader::copy(const RawPacket& packet, uint64_t& offset) {
    const uint8_t* const begin = packet.data - packet.block_head;
    size_t length = size_t{packet.block_head} + packet.captured_length;
    const uint32_t section = sections() == nullptr ? 0 : sections()->section_of(index_.packets() + 1);
    if (section != 0) length = sections()->order_of(section).load32(begin + block_length_at);
    if (copy_buffer_.size() + length > copy_buffer_length && !write_copy()) return false;
    offset = copied_bytes_;
    copy_buffer_.insert(copy_buffer_.end(), begin, begin + length);
    copied_bytes_ += length;
    return true;
}

bool PacketReader::write_copy() {
    if (!copy_fault_.empty()) return false;
    if (!copied_ || copy_buffer_.empty()) return true;
    if (!disk_has_room(file_.get(), copy_buffer_.size())) {
        copy_fault_ = "there is no room for it; TMPDIR says where there is more";
    } else if (!write_all(file_.get(), copy_buffer_)) {
        copy_fault_ = std::strerror(errno);
    }
    copy_buffer_.clear();
    return copy_fault_.empty();
}

// The first `length` bytes of its record, and up to `more` behind them.
Result<std::vector<uint8_t>> PacketReader::read_at_least(PacketNumber packet, size_t length,
                                                         size_t more) const {
    std::vector<uint8_t> bytes(length + more);
    if (bytes.empty()) return bytes;
    std::string fault;
    const size_t read = read_at(file_.get(), bytes, index_.place<&PacketPlace::offset>(packet), fault);
    if (read < length)
        return Error{fault.empty() ? fmt::format("packet {} is no longer in the file", packet) : fault};
    bytes.resize(read);
    return bytes;
}

Result<std::vector<uint8_t>> PacketReader::read(PacketNumber packet) const {
    const size_t length = index_.place<&PacketPlace::captured_length>(packet);
    if (sections() == nullptr) return read_at_least(packet, length, 0);
    auto block = read_at_least(packet, length + pcapng_block_head, max_packet_head - pcapng_block_head);
    if (!block) return block;
    const size_t head = packet_head_of_block(*block);
    if (block->size() < head + length)
        return Error{fmt::format("packet {} is no longer in the file", packet)};
    return std::vector<uint8_t>(block->begin() + static_cast<std::ptrdiff_t>(head),
                                block->begin() + static_cast<std::ptrdiff_t>(head + length));
}

Result<std::vector<uint8_t>> PacketReader::read_block(PacketNumber packet) const {
    if (sections() == nullptr) return Error{"a pcap has no blocks"};
    const uint32_t section = sections()->section_of(packet);
    if (section == 0)
        return Error{fmt::format("packet {} cannot be shown: {}", packet, PcapngSections::why_ended())};
    constexpr size_t usual_options = 64;
    const size_t least = pcapng_block_head + index_.place<&PacketPlace::captured_length>(packet);
    auto block = read_at_least(packet, least, max_packet_head + usual_options);
    if (!block) return block;
    const uint32_t length = sections()->order_of(section).load32(block->data() + block_length_at);
    if (length < least || length > max_record_length)
        return Error{fmt::format("packet {} is no longer in the file", packet)};
    if (length > block->size()) return read_at_least(packet, length, 0);
    block->resize(length);
    return block;
}

}  // namespace sanscope
