// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/gzip_decompressor.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace sanscope {
namespace {

// 15 is the largest window there is; 16 more asks for the gzip wrapping, and no other.
constexpr int gzip_window_bits = 15 + 16;

}  // namespace

GzipDecompressor::GzipDecompressor(std::unique_ptr<ByteSource> stored, std::vector<uint8_t> first_bytes)
    : Decompressor(std::move(stored), std::move(first_bytes), "gzip"),
      usable_(inflateInit2(&stream_, gzip_window_bits) == Z_OK) {}

GzipDecompressor::~GzipDecompressor() {
    if (usable_) inflateEnd(&stream_);
}

Decompressor::Step GzipDecompressor::decode(std::span<const uint8_t> input, std::span<uint8_t> output) {
    if (!usable_) return {.why = "out of memory"};
    if (between_members_) {
        if (input.empty()) return {};
        const auto padding = std::find_if(input.begin(), input.end(), [](uint8_t byte) { return byte != 0; });
        if (padding != input.begin()) return {.taken = static_cast<size_t>(padding - input.begin())};
        if (input.front() != 0x1f) return {.why = "something else follows them"};
        between_members_ = false;
        inflateReset(&stream_);
    }
    constexpr size_t most = std::numeric_limits<uInt>::max();
    const auto in = static_cast<uInt>(std::min(input.size(), most));
    const auto out = static_cast<uInt>(std::min(output.size(), most));
    // zlib does not write through next_in, it only lacks the const.
    stream_.next_in = const_cast<Bytef*>(input.data());
    stream_.avail_in = in;
    stream_.next_out = output.data();
    stream_.avail_out = out;
    const int result = inflate(&stream_, Z_NO_FLUSH);
    Step step{.taken = in - stream_.avail_in, .made = out - stream_.avail_out};
    if (result == Z_STREAM_END) {
        between_members_ = true;
    } else if (result == Z_NEED_DICT) {
        step.why = "a preset dictionary is needed";
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
        step.why = stream_.msg != nullptr ? stream_.msg : zError(result);
    }
    return step;
}

}  // namespace sanscope
