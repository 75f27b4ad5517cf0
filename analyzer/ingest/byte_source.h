// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "analyzer/base/file_descriptor.h"
#include "analyzer/base/result.h"

namespace sanscope {

// Bytes in order, from wherever they come: a file, a pipe, a decompressor over either.
class ByteSource {
  public:
    virtual ~ByteSource() = default;

    // Reads into `into` (not empty) and returns how many bytes came; 0 at the end and after a fault. Waits
    // for the first byte only: what is there is given at once, so that a live stream is never kept waiting
    // for a full buffer.
    virtual size_t read(std::span<uint8_t> into) = 0;
    // Why the bytes ended before their end, as a sentence for the user; empty where they did not.
    virtual const std::string& fault() const = 0;
    // Bytes taken from what is stored, that is, before decompression. Any thread may ask.
    virtual uint64_t stored_bytes_read() const = 0;
};

// An input that was opened, and what is known of it.
struct OpenInput {
    FileDescriptor descriptor;
    bool regular_file = false;  // opened by name, has a size, and can be read at any place
    uint64_t size = 0;          // bytes there are to read, 0 where unknown
};

// Opens a file by its path, or standard input for "-". An Error says why it cannot be read.
Result<OpenInput> open_input(const std::string& path);

// From now on all that FileSources read of pipes, sockets and terminals has its end where it is, also for who waits for more of it:
// for a handler of signals, which may call this, to end a program that reads what may never end.
void end_streams();

// Reads a descriptor from where it stands to its end. Signals do not disturb it.
class FileSource final : public ByteSource {
  public:
    explicit FileSource(FileDescriptor descriptor);

    size_t read(std::span<uint8_t> into) override;
    const std::string& fault() const override { return fault_; }
    uint64_t stored_bytes_read() const override { return read_.load(std::memory_order_relaxed); }

    // Gives the descriptor away; nothing can be read here any more.
    FileDescriptor take_descriptor() { return std::move(descriptor_); }

  private:
    // Until there is something to read; false where streams were ended.
    bool wait() const;

    FileDescriptor descriptor_;
    bool may_wait_;  // it is no file
    std::string fault_;
    std::atomic<uint64_t> read_ = 0;
};

// Reads `into.size()` bytes at `offset`, fewer where the file ends before. Says in `fault` why reading
// failed. Several threads may read one descriptor.
size_t read_at(int descriptor, std::span<uint8_t> into, uint64_t offset, std::string& fault);

}  // namespace sanscope
