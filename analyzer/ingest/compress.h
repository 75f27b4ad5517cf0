// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bzlib.h>
#include <cstdint>
#include <lz4frame.h>
#include <lzma.h>
#include <span>
#include <vector>
#include <zlib.h>
#include <zstd.h>

namespace sanscope::test {

// One gzip member, frame of zstd or lz4, or stream of xz or bzip2 that holds `bytes`. For tests and fuzzers.
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

inline std::vector<uint8_t> xz(std::span<const uint8_t> bytes) {
    std::vector<uint8_t> out(lzma_stream_buffer_bound(bytes.size()));
    size_t made = 0;
    lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, nullptr, bytes.data(), bytes.size(), out.data(), &made,
                            out.size());
    out.resize(made);
    return out;
}

// Of blocks of 100 KB.
inline std::vector<uint8_t> bzip2(std::span<const uint8_t> bytes) {
    char none = 0;  // libbz2 takes no null pointer
    std::vector<uint8_t> out(bytes.size() + bytes.size() / 50 + 600);
    auto made = static_cast<unsigned>(out.size());
    BZ2_bzBuffToBuffCompress(
        reinterpret_cast<char*>(out.data()), &made,
        bytes.empty() ? &none : const_cast<char*>(reinterpret_cast<const char*>(bytes.data())),
        static_cast<unsigned>(bytes.size()), 1, 0, 0);
    out.resize(made);
    return out;
}

}  // namespace sanscope::test
