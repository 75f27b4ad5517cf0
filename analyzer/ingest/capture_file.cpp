// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/capture_file.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <sys/stat.h>
#include <utility>
#include <vector>

#include "analyzer/ingest/capture_format.h"
#include "analyzer/ingest/decompressor.h"
#include "analyzer/ingest/foreign_file.h"
#include "analyzer/ingest/record_joiner.h"

namespace sanscope {
namespace {

// Makes `batch` ready for up to `length` bytes that begin at `file_offset`.
void prepare(PacketBatch& batch, size_t length, uint64_t file_offset) {
    const size_t usual = RecordJoiner::headroom + length;
    // A buffer that grew for a huge record does not stay so.
    if (batch.buffer.size() < usual || batch.buffer.size() > 2 * usual) batch.buffer.reallocate(usual);
    batch.packets.clear();
    batch.borrowed.clear();
    batch.begin = RecordJoiner::headroom;
    batch.end = batch.begin;
    batch.file_offset = file_offset;
    batch.last = false;
    batch.fault.clear();
}

// What claim() reserved of a file that is stored plain.
void load_plain(int descriptor, PacketBatch& batch, std::atomic<uint64_t>& total) {
    const size_t length = batch.end - batch.begin;
    const auto into = std::span<uint8_t>(batch.buffer.data() + batch.begin, length);
    if (into.empty()) return;
    const size_t read = read_at(descriptor, into, batch.file_offset, batch.fault);
    batch.end = batch.begin + read;
    if (read < length && batch.fault.empty()) batch.fault = "the file was cut off while it was read";
    total.fetch_add(read, std::memory_order_relaxed);
}

// What all kinds of capture file share: the parsing, and what it shows.
class CaptureFile : public PacketSource {
  public:
    CaptureFile(RecordJoiner joiner, std::string name, uint64_t total)
        : joiner_(std::move(joiner)), name_(std::move(name)), total_(total) {}

    void parse(PacketBatch& batch) override {
        joiner_.parse(batch);
        if (joiner_.fault() && damage_.empty()) {
            // A place in what was made of a foreign file is no place in that.
            const uint64_t at_byte = foreign_.empty() ? joiner_.fault()->at_byte : 0;
            damage_.push_back({name_, at_byte, joiner_.fault()->message});
            broken_.store(true, std::memory_order_relaxed);
        }
    }

    const std::vector<Damage>& damage() const override { return damage_; }
    uint64_t bytes_total() const override { return total_; }
    const std::vector<Interface>& interfaces() const override { return joiner_.parser().interfaces(); }
    void keep_sections() override { joiner_.parser().keep_sections(); }
    const PcapngSections* sections() const override { return joiner_.parser().sections(); }
    void keep_notes() override { joiner_.parser().keep_notes(); }
    const CaptureNotes* notes() const override { return joiner_.parser().notes(); }
    void keep_names() override { joiner_.parser().keep_names(); }
    const ResolvedNames* names() const override { return joiner_.parser().names(); }

    std::span<const ReadByWireshark> read_by_wireshark() const override { return foreign_; }
    void is_foreign(std::string format) { foreign_.push_back({name_, std::move(format)}); }

  protected:
    // Whether there is no use in reading on.
    bool broken() const { return broken_.load(std::memory_order_relaxed); }

  private:
    RecordJoiner joiner_;
    std::string name_;
    uint64_t total_;
    std::vector<Damage> damage_;
    std::vector<ReadByWireshark> foreign_;
    std::atomic<bool> broken_ = false;  // set on the thread that parses, seen by the one that claims
};

class PlainFile final : public CaptureFile {
  public:
    PlainFile(FileDescriptor descriptor, uint64_t size, size_t block_length, RecordJoiner joiner,
              const std::string& name)
        : CaptureFile(std::move(joiner), name, size),
          descriptor_(std::move(descriptor)),
          size_(size),
          block_length_(block_length) {}

    bool claim(PacketBatch& batch) override {
        if (next_ == size_ || broken()) return false;
        const auto length = static_cast<size_t>(std::min<uint64_t>(block_length_, size_ - next_));
        prepare(batch, block_length_, next_);
        batch.end = batch.begin + length;
        next_ += length;
        batch.last = next_ == size_;
        return true;
    }

    void load(PacketBatch& batch) override { load_plain(descriptor_.get(), batch, read_); }
    uint64_t bytes_read() const override { return read_.load(std::memory_order_relaxed); }

  private:
    FileDescriptor descriptor_;
    const uint64_t size_;  // when it was opened: what is written to it later is not looked at
    const size_t block_length_;
    uint64_t next_ = 0;  // where the next stretch begins
    std::atomic<uint64_t> read_ = 0;
};

// A file that is still being written. Its end comes as an empty batch of its own.
class GrowingFile final : public CaptureFile {
  public:
    GrowingFile(FileDescriptor descriptor, std::shared_ptr<FileGrowth> growth, size_t block_length,
                RecordJoiner joiner, const std::string& name)
        : CaptureFile(std::move(joiner), name, 0),
          descriptor_(std::move(descriptor)),
          growth_(std::move(growth)),
          block_length_(block_length) {}

    bool claim(PacketBatch& batch) override {
        if (ended_ || broken()) return false;
        const uint64_t size = growth_->wait_beyond(descriptor_.get(), next_);
        const auto length = static_cast<size_t>(std::min<uint64_t>(block_length_, size - next_));
        prepare(batch, block_length_, next_);
        batch.end = batch.begin + length;
        next_ += length;
        ended_ = batch.last = length == 0;
        return true;
    }

    void load(PacketBatch& batch) override { load_plain(descriptor_.get(), batch, read_); }
    uint64_t bytes_read() const override { return read_.load(std::memory_order_relaxed); }

  private:
    FileDescriptor descriptor_;
    std::shared_ptr<FileGrowth> growth_;
    const size_t block_length_;
    uint64_t next_ = 0;
    bool ended_ = false;
    std::atomic<uint64_t> read_ = 0;
};

class StreamedFile final : public CaptureFile {
  public:
    StreamedFile(std::unique_ptr<ByteSource> bytes, uint64_t position, uint64_t total, size_t block_length,
                 RecordJoiner joiner, const std::string& name)
        : CaptureFile(std::move(joiner), name, total),
          bytes_(std::move(bytes)),
          block_length_(block_length),
          next_(position) {}

    bool claim(PacketBatch& batch) override {
        if (ended_ || broken()) return false;
        prepare(batch, block_length_, next_);
        const size_t read = bytes_->read({batch.buffer.data() + batch.begin, block_length_});
        batch.end = batch.begin + read;
        next_ += read;
        // The end comes as an empty batch of its own, since only trying to read on shows it.
        ended_ = batch.last = read == 0;
        if (ended_) batch.fault = bytes_->fault();
        return true;
    }

    void load(PacketBatch&) override {}

    uint64_t bytes_read() const override { return bytes_->stored_bytes_read(); }

  private:
    std::unique_ptr<ByteSource> bytes_;
    const size_t block_length_;
    uint64_t next_;  // bytes read so far
    bool ended_ = false;
};

// Reads until `bytes` holds `length`, or the source ends.
void fill(ByteSource& source, std::vector<uint8_t>& bytes, size_t length) {
    while (bytes.size() < length) {
        const size_t had = bytes.size();
        bytes.resize(length);
        const size_t read = source.read(std::span(bytes).subspan(had));
        bytes.resize(had + read);
        if (read == 0) return;
    }
}

// Reads on until `bytes` shows what capture it begins, and makes its parser.
Result<std::unique_ptr<RecordParser>> start_parser(ByteSource& source, std::vector<uint8_t>& bytes,
                                                   const std::string& name) {
    fill(source, bytes, capture_start_length(bytes));
    fill(source, bytes, capture_start_length(bytes));
    Result<std::unique_ptr<RecordParser>> parser = make_record_parser(bytes, name);
    // Where reading failed, that is the reason.
    if (!parser && !source.fault().empty()) return Error{source.fault()};
    return parser;
}

// What is neither pcap nor pcapng, through Wireshark's reader; `error` says what it is to us.
Result<std::unique_ptr<PacketSource>> open_foreign(int file, const Error& error, const std::string& name,
                                                   size_t block_length) {
    Result<ForeignFile> foreign = open_foreign_file(file, error.message);
    if (!foreign) return foreign.error();
    std::vector<uint8_t> first;
    Result<std::unique_ptr<RecordParser>> parser = start_parser(*foreign->pcapng, first, name);
    if (!parser) return parser.error();
    const uint64_t position = first.size();
    auto source = std::make_unique<StreamedFile>(std::move(foreign->pcapng), position, 0, block_length,
                                                 RecordJoiner(std::move(*parser), std::move(first)), name);
    source->is_foreign(std::move(foreign->format));
    return std::unique_ptr<PacketSource>(std::move(source));
}

// Whether Wireshark may know what begins with these bytes and made no parser of ours.
bool may_be_foreign(const ByteSource& source, std::span<const uint8_t> first) {
    return source.fault().empty() && first.size() >= compression_magic_length && !is_known_capture(first);
}

// Likewise of a stream, of which `first` was read: Wireshark's reader needs a file.
Result<std::unique_ptr<PacketSource>> open_foreign_stream(ByteSource& source, std::span<const uint8_t> first,
                                                          const Error& error, const std::string& name,
                                                          size_t block_length) {
    const Result<FileDescriptor> file = store_bytes(source, first);
    return file ? open_foreign(file->get(), error, name, block_length) : file.error();
}

// The same for bytes that turned out to be compressed.
Result<std::unique_ptr<PacketSource>> open_compressed(std::unique_ptr<ByteSource> stored,
                                                      std::vector<uint8_t> first_stored,
                                                      const CompressionSign& sign, const std::string& name,
                                                      uint64_t total, size_t block_length) {
    if (sign.compression == Compression::unsupported) {
        return Error{
            fmt::format("compressed with {}, which is not supported: decompress it first", sign.name)};
    }
    std::unique_ptr<ByteSource> bytes =
        make_decompressor(sign.compression, std::move(stored), std::move(first_stored));
    std::vector<uint8_t> first;
    Result<std::unique_ptr<RecordParser>> parser = start_parser(*bytes, first, name);
    if (!parser) {
        if (!bytes->fault().empty()) return parser.error();
        const CompressionSign inner = detect_compression(first);
        if (inner.compression != Compression::none) {
            return Error{fmt::format("compressed twice, with {} inside {}: decompress it first", inner.name,
                                     sign.name)};
        }
        const Error error{fmt::format("{}, once decompressed from {}", parser.error().message, sign.name)};
        if (!may_be_foreign(*bytes, first)) return error;
        return open_foreign_stream(*bytes, first, error, name, block_length);
    }
    const uint64_t position = first.size();
    return std::unique_ptr<PacketSource>(
        std::make_unique<StreamedFile>(std::move(bytes), position, total, block_length,
                                       RecordJoiner(std::move(*parser), std::move(first)), name));
}

}  // namespace

Result<std::unique_ptr<PacketSource>> open_capture_stream(std::unique_ptr<ByteSource> stored,
                                                          const std::string& name, uint64_t total,
                                                          size_t block_length) {
    std::vector<uint8_t> first;
    fill(*stored, first, compression_magic_length);
    if (first.empty() && stored->fault().empty()) return Error{"is empty"};
    const CompressionSign sign = detect_compression(first);
    if (sign.compression != Compression::none) {
        return open_compressed(std::move(stored), std::move(first), sign, name, total, block_length);
    }
    Result<std::unique_ptr<RecordParser>> parser = start_parser(*stored, first, name);
    if (!parser) {
        if (!may_be_foreign(*stored, first)) return parser.error();
        return open_foreign_stream(*stored, first, parser.error(), name, block_length);
    }
    const uint64_t position = first.size();
    return std::unique_ptr<PacketSource>(
        std::make_unique<StreamedFile>(std::move(stored), position, total, block_length,
                                       RecordJoiner(std::move(*parser), std::move(first)), name));
}

Result<std::unique_ptr<PacketSource>> open_capture_file(const std::string& path, size_t block_length) {
    Result<OpenInput> input = open_input(path);
    if (!input) return input.error();
    auto source = std::make_unique<FileSource>(std::move(input->descriptor));
    if (!input->regular_file) {
        return open_capture_stream(std::move(source), path, input->size, block_length);
    }

    std::vector<uint8_t> first;
    fill(*source, first, compression_magic_length);
    const CompressionSign sign = detect_compression(first);
    if (sign.compression != Compression::none) {
        return open_compressed(std::move(source), std::move(first), sign, path, input->size, block_length);
    }
    Result<std::unique_ptr<RecordParser>> parser = start_parser(*source, first, path);
    if (!parser) {
        if (!may_be_foreign(*source, first)) return parser.error();
        return open_foreign(source->take_descriptor().get(), parser.error(), path, block_length);
    }
    // The parser gets the first bytes once more, now as part of the first stretch.
    return std::unique_ptr<PacketSource>(std::make_unique<PlainFile>(
        source->take_descriptor(), input->size, block_length, RecordJoiner(std::move(*parser), {}), path));
}

Result<std::unique_ptr<PacketSource>> open_growing_capture(const std::string& path,
                                                           std::shared_ptr<FileGrowth> growth,
                                                           size_t block_length) {
    Result<OpenInput> input = open_input(path);
    if (!input) return input.error();
    struct stat status {};
    if (fstat(input->descriptor.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
        return Error{"is no file that can be read while it grows"};
    }
    GrowingFileSource source(std::move(input->descriptor), growth);
    std::vector<uint8_t> first;
    Result<std::unique_ptr<RecordParser>> parser = start_parser(source, first, path);
    if (first.empty()) return Error{source.fault().empty() ? "is empty" : source.fault()};
    if (!parser) return parser.error();
    return std::unique_ptr<PacketSource>(
        std::make_unique<GrowingFile>(source.take_descriptor(), std::move(growth), block_length,
                                      RecordJoiner(std::move(*parser), {}), path));
}

Result<std::unique_ptr<PacketSource>> open_capture(const std::string& path) {
    return open_capture_file(path, default_block_length);
}

}  // namespace sanscope
