// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/ingest/byte_source.h"

namespace sanscope {

// The bytes of a capture's records, from its first on and decompressed, in a buffer: what is done with makes room for more.
class RecordBytes {
  public:
    // `path`: a file, or `-` for standard input.
    static Result<RecordBytes> open(const std::string& path);

    std::span<const uint8_t> held() const { return std::span(buffer_).subspan(begin_, end_ - begin_); }
    void drop(size_t count) { begin_ += count; }

    // Reads until `length` are held; false where the input ends before. No more is read of a plain file than it had
    // when it was opened.
    bool fill(size_t length);

    // Why the bytes ended before their end; empty where they did not.
    const std::string& fault() const { return source_->fault(); }
    // Of the file as stored; a total of 0 is unknown.
    uint64_t stored_read() const;
    uint64_t stored_total() const { return stored_total_; }

  private:
    std::unique_ptr<ByteSource> source_;
    uint64_t stored_total_ = 0;
    bool plain_file_ = false;
    std::vector<uint8_t> buffer_;
    size_t begin_ = 0;
    size_t end_ = 0;
};

}  // namespace sanscope
