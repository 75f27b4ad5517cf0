// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "analyzer/ingest/byte_source.h"

namespace sanscope {

// Shows readers of a file that someone else is writing how far they may read. Any thread may call any of it.
class FileGrowth {
  public:
    // The writer shows how much of the file is there for good, from the first time on that this is called; it may take back
    // what it wrote behind that. Not called at all: what the file system says is there, looked at some twenty times a second.
    void grown_to(uint64_t bytes);
    // What was known by now is all, or what is in the file by now. For good.
    void end();
    bool ended() const;

    // Waits until the file may be read beyond `position` or growth has ended; then how far, which is `position` only at the end.
    uint64_t wait_beyond(int descriptor, uint64_t position);

  private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<uint64_t> announced_;
    bool ended_ = false;
};

// The bytes of such a file from its begin to the end that it has once growth has ended; waits for them.
class GrowingFileSource final : public ByteSource {
  public:
    GrowingFileSource(FileDescriptor descriptor, std::shared_ptr<FileGrowth> growth)
        : descriptor_(std::move(descriptor)), growth_(std::move(growth)) {}

    size_t read(std::span<uint8_t> into) override;
    const std::string& fault() const override { return fault_; }
    uint64_t stored_bytes_read() const override { return read_.load(std::memory_order_relaxed); }

    // Gives the descriptor away; nothing can be read here any more.
    FileDescriptor take_descriptor() { return std::move(descriptor_); }

  private:
    FileDescriptor descriptor_;
    std::shared_ptr<FileGrowth> growth_;
    std::string fault_;
    std::atomic<uint64_t> read_ = 0;
};

}  // namespace sanscope
