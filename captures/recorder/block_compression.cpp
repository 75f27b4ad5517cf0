// SPDX-License-Identifier: GPL-3.0-or-later
#include "captures/recorder/block_compression.h"

#include <algorithm>
#include <cstring>
#include <zstd.h>

#include "analyzer/export/pcapng_encoding.h"

namespace sanscope {
namespace {

// Headers of iSCSI shrink to nearly as little as with the levels above, at a third of their time.
constexpr int level = 3;
// What the compressor may refer back to, as powers of two: less than it offers, and what is granted to one that is not
// ours.
constexpr int window = 20;
constexpr int largest_window = 23;
constexpr size_t step = size_t{256} << 10;

uint32_t number_at(std::span<const uint8_t> bytes, size_t at) {
    uint32_t number;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    return number;
}

}  // namespace

BlockCompressor::BlockCompressor() : context_(ZSTD_createCCtx()) {
    ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(context_, ZSTD_c_windowLog, window);
}

BlockCompressor::~BlockCompressor() {
    ZSTD_freeCCtx(context_);
}

std::string BlockCompressor::compress(std::span<const uint8_t> blocks) {
    std::string piece(ZSTD_compressBound(blocks.size()) + ZSTD_CStreamOutSize(), '\0');
    ZSTD_inBuffer in{blocks.data(), blocks.size(), 0};
    ZSTD_outBuffer out{piece.data(), piece.size(), 0};
    size_t left = 1;
    while (left != 0) {
        left = ZSTD_compressStream2(context_, &out, &in, ZSTD_e_flush);
        if (ZSTD_isError(left) != 0) return {};
        if (left != 0 && out.pos == out.size) {
            piece.resize(piece.size() + step);
            out.dst = piece.data();
            out.size = piece.size();
        }
    }
    piece.resize(out.pos);
    return piece;
}

BlockDecompressor::BlockDecompressor() : context_(ZSTD_createDCtx()) {
    ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, largest_window);
}

BlockDecompressor::~BlockDecompressor() {
    ZSTD_freeDCtx(context_);
}

std::optional<BlockDecompressor::Blocks> BlockDecompressor::decompress(std::span<const uint8_t> piece) {
    ZSTD_inBuffer in{piece.data(), piece.size(), 0};
    ZSTD_outBuffer out{bytes_.data(), bytes_.size(), 0};
    for (;;) {
        if (out.pos == bytes_.size()) {
            if (bytes_.size() >= most_bytes) return std::nullopt;
            bytes_.resize(std::min(bytes_.size() + std::max(step, bytes_.size()), most_bytes));
            out.dst = bytes_.data();
            out.size = bytes_.size();
        }
        const size_t taken_before = in.pos;
        const size_t given_before = out.pos;
        if (ZSTD_isError(ZSTD_decompressStream(context_, &out, &in)) != 0) return std::nullopt;
        // With room left, all that the input holds was given out.
        if (in.pos == in.size && out.pos < out.size) break;
        if (in.pos == taken_before && out.pos == given_before) return std::nullopt;
    }
    const auto blocks = std::span<const uint8_t>(bytes_).first(out.pos);
    const auto packets = packets_in_whole_blocks(blocks);
    if (!packets) return std::nullopt;
    return Blocks{blocks, *packets};
}

std::optional<uint64_t> packets_in_whole_blocks(std::span<const uint8_t> blocks) {
    uint64_t packets = 0;
    while (!blocks.empty()) {
        if (blocks.size() < pcapng::block_frame) return std::nullopt;
        const uint32_t length = number_at(blocks, 4);
        if (length < pcapng::block_frame || length % 4 != 0 || length > blocks.size() ||
            number_at(blocks, length - 4) != length)
            return std::nullopt;
        if (number_at(blocks, 0) == pcapng::enhanced_packet_block) ++packets;
        blocks = blocks.subspan(length);
    }
    return packets;
}

}  // namespace sanscope
