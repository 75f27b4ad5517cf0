// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/lz4_decompressor.h"

#include <algorithm>
#include <utility>

namespace sanscope {
namespace {

// What liblz4 wants to see of a frame before it can say what comes next.
constexpr size_t frame_start = LZ4F_HEADER_SIZE_MIN;

}  // namespace

Lz4Decompressor::Lz4Decompressor(std::unique_ptr<ByteSource> stored, std::vector<uint8_t> first_bytes)
    : Decompressor(std::move(stored), std::move(first_bytes), "lz4"), next_input_(frame_start) {
    LZ4F_dctx* context = nullptr;
    if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)) == 0) context_.reset(context);
}

Decompressor::Step Lz4Decompressor::decode(std::span<const uint8_t> input, std::span<uint8_t> output) {
    if (!context_) return {.why = "out of memory"};
    if (between_frames_ && input.empty()) return {};
    // On an error liblz4 forgets what it made in the same call. Fed a block at a time, as it asks for, it has
    // then made nothing: all the blocks before the bad one have been given.
    size_t taken = std::min(input.size(), next_input_);
    size_t made = output.size();
    const size_t result =
        LZ4F_decompress(context_.get(), output.data(), &made, input.data(), &taken, nullptr);
    if (LZ4F_isError(result) != 0) return {.why = LZ4F_getErrorName(result)};
    between_frames_ = result == 0;
    next_input_ = result == 0 ? frame_start : result;
    return {.taken = taken, .made = made};
}

}  // namespace sanscope
