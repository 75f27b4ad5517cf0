// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <lz4frame.h>
#include <span>
#include <vector>
#include <zlib.h>
#include <zstd.h>

namespace sanscope::test {

// One gzip member, zstd frame or lz4 frame that holds `bytes`. For tests and fuzzers.
inline std::vector<uint8_t> gzip(std::span<const uint8_t> bytes) {
    z_stream stream{};
    deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    std::vector<uint8_t> out(deflateBound(&stream, static_cast<uLong>(bytes.size())));
    stream.next_in = const_cast<Bytef*>(bytes.data());
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = out.data();
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

inline std::vector<uint8_t> zstd(std::span<const uint8_t> bytes, int window_log = 0) {
    std::vector<uint8_t> out(ZSTD_compressBound(bytes.size()) + 64);
    ZSTD_CCtx* context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    if (window_log != 0) {
        // Only a frame that does not tell its size has a window of its own.
        ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
        ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
    }
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    while (in.pos < in.size) ZSTD_compressStream2(context, &to, &in, ZSTD_e_continue);
    while (ZSTD_compressStream2(context, &to, &in, ZSTD_e_end) != 0) {
    }
    out.resize(to.pos);
    ZSTD_freeCCtx(context);
    return out;
}

inline std::vector<uint8_t> lz4(std::span<const uint8_t> bytes) {
    LZ4F_preferences_t preferences{};
    preferences.frameInfo.blockSizeID = LZ4F_max64KB;
    preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
    std::vector<uint8_t> out(LZ4F_compressFrameBound(bytes.size(), &preferences));
    out.resize(LZ4F_compressFrame(out.data(), out.size(), bytes.data(), bytes.size(), &preferences));
    return out;
}

}  // namespace sanscope::test
