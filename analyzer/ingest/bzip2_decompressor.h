// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bzlib.h>

#include "analyzer/ingest/decompressor.h"

namespace sanscope {

// bzip2 by libbz2: one stream or several. A block of 900 KB comes only when all of it was read.
class Bzip2Decompressor final : public Decompressor {
  public:
    Bzip2Decompressor(std::unique_ptr<ByteSource> stored, std::vector<uint8_t> first_bytes);
    Bzip2Decompressor(const Bzip2Decompressor&) = delete;
    Bzip2Decompressor& operator=(const Bzip2Decompressor&) = delete;
    ~Bzip2Decompressor() override;

  private:
    Step decode(std::span<const uint8_t> input, std::span<uint8_t> output) override;
    bool may_end() const override { return between_streams_; }
    bool begin_stream();

    bz_stream stream_{};
    bool usable_ = false;           // libbz2 could get its memory
    bool between_streams_ = false;  // a stream has ended and no other begun
};

}  // namespace sanscope
