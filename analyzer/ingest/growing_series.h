// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "analyzer/ingest/byte_source.h"
#include "analyzer/ingest/growing_file.h"

namespace sanscope {

// The bytes of a recording that goes from one file to the next, as one stream: pcapng files one behind the other are a pcapng
// file again. read() waits for what comes; all else may be called on any other thread.
class GrowingSeries final : public ByteSource {
  public:
    // The next file, which is open from then on: it may be removed before it is read. An Error where it cannot be opened.
    Result<std::monostate> add(const std::string& path, std::shared_ptr<FileGrowth> growth);
    // No more files come. What the last one still gets is known by its own growth.
    void finish();

    size_t read(std::span<uint8_t> into) override;
    const std::string& fault() const override { return fault_; }
    uint64_t stored_bytes_read() const override { return read_.load(std::memory_order_relaxed); }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::unique_ptr<GrowingFileSource>> files_;  // the first one is being read
    bool finished_ = false;
    std::string fault_;
    std::atomic<uint64_t> read_ = 0;
};

}  // namespace sanscope
