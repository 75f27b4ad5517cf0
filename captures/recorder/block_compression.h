// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace sanscope {

// pcapng blocks as they travel between hosts: one zstd stream (RFC 8878), flushed behind each piece, so that small
// pieces too are referred to what came before them.

class BlockCompressor {
  public:
    BlockCompressor();
    BlockCompressor(const BlockCompressor&) = delete;
    BlockCompressor& operator=(const BlockCompressor&) = delete;
    ~BlockCompressor();

    // Empty where there is no memory.
    std::string compress(std::span<const uint8_t> blocks);

  private:
    ZSTD_CCtx_s* context_;
};

class BlockDecompressor {
  public:
    // No piece may hold more.
    static constexpr size_t most_bytes = size_t{32} << 20;

    BlockDecompressor();
    BlockDecompressor(const BlockDecompressor&) = delete;
    BlockDecompressor& operator=(const BlockDecompressor&) = delete;
    ~BlockDecompressor();

    struct Blocks {
        std::span<const uint8_t> bytes;  // until the next piece
        uint64_t packets = 0;
    };
    // Of whatever came from a host that is not trusted: whole blocks, or nothing. After nothing there is nothing to
    // come.
    std::optional<Blocks> decompress(std::span<const uint8_t> piece);

  private:
    ZSTD_DCtx_s* context_;
    std::vector<uint8_t> bytes_;
};

// How many packets are in `blocks`, little-endian; nothing where these are not whole blocks.
std::optional<uint64_t> packets_in_whole_blocks(std::span<const uint8_t> blocks);

}  // namespace sanscope
