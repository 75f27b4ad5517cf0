// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <lzma.h>

#include "analyzer/ingest/decompressor.h"

namespace sanscope {

// xz (tukaani.org/xz/xz-file-format.txt) by liblzma: one stream or several, with the zeros that may pad them.
//
// A stream names the dictionary that decoding it must hold in memory: up to 192 MiB are taken, three times what `xz -9` asks
// for, since any file could ask for 4 GiB.
class XzDecompressor final : public Decompressor {
  public:
    XzDecompressor(std::unique_ptr<ByteSource> stored, std::vector<uint8_t> first_bytes);
    XzDecompressor(const XzDecompressor&) = delete;
    XzDecompressor& operator=(const XzDecompressor&) = delete;
    ~XzDecompressor() override;

    static constexpr uint64_t most_memory = uint64_t{192} << 20;

  private:
    Step decode(std::span<const uint8_t> input, std::span<uint8_t> output) override;
    bool may_end() const override { return between_streams_; }
    bool begin_stream();

    lzma_stream stream_ = LZMA_STREAM_INIT;
    bool usable_ = false;           // liblzma could get its memory
    bool between_streams_ = false;  // a stream has ended and no other begun
};

}  // namespace sanscope
