// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/xz_decompressor.h"

#include <algorithm>
#include <utility>

namespace sanscope {
namespace {

const char* words_of(lzma_ret result) {
    switch (result) {
        case LZMA_MEM_ERROR:
            return "out of memory";
        case LZMA_MEMLIMIT_ERROR:
            return "they need more than 192 MiB of memory: decompress them with xz";
        case LZMA_FORMAT_ERROR:
            return "no xz stream begins here";
        case LZMA_OPTIONS_ERROR:
            return "they need a filter that liblzma does not know";
        case LZMA_DATA_ERROR:
            return "data error";
        default:
            return "liblzma cannot go on";
    }
}

}  // namespace

XzDecompressor::XzDecompressor(std::unique_ptr<ByteSource> stored, std::vector<uint8_t> first_bytes)
    : Decompressor(std::move(stored), std::move(first_bytes), "xz"), usable_(begin_stream()) {}

XzDecompressor::~XzDecompressor() {
    lzma_end(&stream_);
}

bool XzDecompressor::begin_stream() {
    return lzma_stream_decoder(&stream_, most_memory, 0) == LZMA_OK;
}

Decompressor::Step XzDecompressor::decode(std::span<const uint8_t> input, std::span<uint8_t> output) {
    if (!usable_) return {.why = "out of memory"};
    if (between_streams_) {
        if (input.empty()) return {};
        const auto padding = std::find_if(input.begin(), input.end(), [](uint8_t byte) { return byte != 0; });
        if (padding != input.begin()) return {.taken = static_cast<size_t>(padding - input.begin())};
        constexpr uint8_t first_of_magic = 0xfd;
        if (input.front() != first_of_magic) return {.why = "something else follows them"};
        between_streams_ = false;
        usable_ = begin_stream();
        if (!usable_) return {.why = "out of memory"};
    }
    stream_.next_in = input.data();
    stream_.avail_in = input.size();
    stream_.next_out = output.data();
    stream_.avail_out = output.size();
    const lzma_ret result = lzma_code(&stream_, LZMA_RUN);
    Step step{.taken = input.size() - stream_.avail_in, .made = output.size() - stream_.avail_out};
    if (result == LZMA_STREAM_END) {
        between_streams_ = true;
    } else if (result != LZMA_OK && result != LZMA_BUF_ERROR) {
        step.why = words_of(result);
    }
    return step;
}

}  // namespace sanscope
