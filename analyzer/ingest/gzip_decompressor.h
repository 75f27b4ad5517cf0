// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <zlib.h>

#include "analyzer/ingest/decompressor.h"

namespace sanscope {

// gzip (RFC 1952) by zlib: one member or several, and the zero bytes that tapes and block devices pad a file
// with.
class GzipDecompressor final : public Decompressor {
  public:
    GzipDecompressor(std::unique_ptr<ByteSource> stored, std::vector<uint8_t> first_bytes);
    GzipDecompressor(const GzipDecompressor&) = delete;
    GzipDecompressor& operator=(const GzipDecompressor&) = delete;
    ~GzipDecompressor() override;

  private:
    Step decode(std::span<const uint8_t> input, std::span<uint8_t> output) override;
    bool may_end() const override { return between_members_; }

    z_stream stream_{};
    bool usable_ = false;           // zlib could get its memory
    bool between_members_ = false;  // a member has ended and no other begun
};

}  // namespace sanscope
