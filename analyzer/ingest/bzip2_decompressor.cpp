// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/bzip2_decompressor.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace sanscope {
namespace {

const char* words_of(int result) {
    switch (result) {
        case BZ_MEM_ERROR:
            return "out of memory";
        case BZ_DATA_ERROR_MAGIC:
            return "no bzip2 stream begins here";
        case BZ_DATA_ERROR:
            return "data error";
        default:
            return "libbz2 cannot go on";
    }
}

}  // namespace

Bzip2Decompressor::Bzip2Decompressor(std::unique_ptr<ByteSource> stored, std::vector<uint8_t> first_bytes)
    : Decompressor(std::move(stored), std::move(first_bytes), "bzip2"), usable_(begin_stream()) {}

Bzip2Decompressor::~Bzip2Decompressor() {
    if (usable_) BZ2_bzDecompressEnd(&stream_);
}

bool Bzip2Decompressor::begin_stream() {
    constexpr int silent = 0;
    constexpr int at_full_speed = 0;
    return BZ2_bzDecompressInit(&stream_, silent, at_full_speed) == BZ_OK;
}

Decompressor::Step Bzip2Decompressor::decode(std::span<const uint8_t> input, std::span<uint8_t> output) {
    if (!usable_) return {.why = "out of memory"};
    if (between_streams_) {
        if (input.empty()) return {};
        if (input.front() != 'B') return {.why = "something else follows them"};
        between_streams_ = false;
        BZ2_bzDecompressEnd(&stream_);
        stream_ = {};
        usable_ = begin_stream();
        if (!usable_) return {.why = "out of memory"};
    }
    constexpr size_t most = std::numeric_limits<unsigned>::max();
    const auto in = static_cast<unsigned>(std::min(input.size(), most));
    const auto out = static_cast<unsigned>(std::min(output.size(), most));
    // libbz2 does not write through next_in, it only lacks the const.
    stream_.next_in = const_cast<char*>(reinterpret_cast<const char*>(input.data()));
    stream_.avail_in = in;
    stream_.next_out = reinterpret_cast<char*>(output.data());
    stream_.avail_out = out;
    const int result = BZ2_bzDecompress(&stream_);
    Step step{.taken = in - stream_.avail_in, .made = out - stream_.avail_out};
    if (result == BZ_STREAM_END) {
        between_streams_ = true;
    } else if (result != BZ_OK) {
        step.why = words_of(result);
    }
    return step;
}

}  // namespace sanscope
