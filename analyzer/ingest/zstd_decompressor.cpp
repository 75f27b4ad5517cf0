// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/zstd_decompressor.h"

#include <algorithm>
#include <utility>
#include <zstd_errors.h>

namespace sanscope {

ZstdDecompressor::ZstdDecompressor(std::unique_ptr<ByteSource> stored, std::vector<uint8_t> first_bytes)
    : Decompressor(std::move(stored), std::move(first_bytes), "zstd"), stream_(ZSTD_createDStream()) {
    if (!stream_) return;
    next_input_ = ZSTD_initDStream(stream_.get());
    ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, window_log_max);
}

Decompressor::Step ZstdDecompressor::decode(std::span<const uint8_t> input, std::span<uint8_t> output) {
    if (!stream_) return {.why = "out of memory"};
    if (between_frames_ && input.empty()) return {};
    // On an error libzstd forgets what it made in the same call. Fed a block at a time, as it asks for, it
    // has then made nothing: all the blocks before the bad one have been given.
    ZSTD_inBuffer in{input.data(), std::min(input.size(), next_input_), 0};
    ZSTD_outBuffer out{output.data(), output.size(), 0};
    const size_t result = ZSTD_decompressStream(stream_.get(), &out, &in);
    Step step{.taken = in.pos, .made = out.pos};
    if (ZSTD_isError(result) != 0) {
        step.why = ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge
                       ? "they need a window of more than 128 MiB: decompress them with zstd --long=31"
                       : ZSTD_getErrorName(result);
        return step;
    }
    between_frames_ = result == 0;
    next_input_ = std::max<size_t>(result, 1);
    return step;
}

}  // namespace sanscope
