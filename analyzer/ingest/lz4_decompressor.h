// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <lz4frame.h>

#include "analyzer/ingest/decompressor.h"

namespace sanscope {

// The LZ4 frame format by liblz4: one frame or several, skippable frames between them.
class Lz4Decompressor final : public Decompressor {
  public:
    Lz4Decompressor(std::unique_ptr<ByteSource> stored, std::vector<uint8_t> first_bytes);

  private:
    Step decode(std::span<const uint8_t> input, std::span<uint8_t> output) override;
    bool may_end() const override { return between_frames_; }

    struct Free {
        void operator()(LZ4F_dctx* context) const { LZ4F_freeDecompressionContext(context); }
    };
    std::unique_ptr<LZ4F_dctx, Free> context_;
    size_t next_input_;            // how much the next step of decoding takes
    bool between_frames_ = false;  // a frame has ended and no other begun
};

}  // namespace sanscope
