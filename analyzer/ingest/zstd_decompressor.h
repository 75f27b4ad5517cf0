// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <zstd.h>

#include "analyzer/ingest/decompressor.h"

namespace sanscope {

// Zstandard (RFC 8878) by libzstd: one frame or several, skippable frames between them.
//
// A frame names the window that decoding it must hold in memory. Windows up to 128 MiB are taken, as the zstd
// tool does by itself; what was made with `zstd --long=28` or more is refused, since any file could ask for 2
// GiB.
class ZstdDecompressor final : public Decompressor {
  public:
    ZstdDecompressor(std::unique_ptr<ByteSource> stored, std::vector<uint8_t> first_bytes);

    static constexpr int window_log_max = 27;

  private:
    Step decode(std::span<const uint8_t> input, std::span<uint8_t> output) override;
    bool may_end() const override { return between_frames_; }

    struct Free {
        void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
    };
    std::unique_ptr<ZSTD_DStream, Free> stream_;
    size_t next_input_ = 0;        // how much the next step of decoding takes
    bool between_frames_ = false;  // a frame has ended and no other begun
};

}  // namespace sanscope
