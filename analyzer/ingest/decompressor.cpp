// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/ingest/decompressor.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "analyzer/base/byte_order.h"
#include "analyzer/ingest/bzip2_decompressor.h"
#include "analyzer/ingest/gzip_decompressor.h"
#include "analyzer/ingest/lz4_decompressor.h"
#include "analyzer/ingest/xz_decompressor.h"
#include "analyzer/ingest/zstd_decompressor.h"

namespace sanscope {
namespace {

// Stored bytes taken in at a time: enough that a read costs nothing beside decompressing it.
constexpr size_t input_bytes = size_t{128} << 10;

struct Magic {
    uint32_t mask;
    uint32_t value;  // of the first four bytes, big-endian
    CompressionSign sign;
};

constexpr std::array magics{
    Magic{0xffffff00, 0x1f8b0800, {Compression::gzip, "gzip"}},
    Magic{0xffffffff, 0x28b52ffd, {Compression::zstd, "zstd"}},
    // A skippable frame, which zstd and lz4 share. Of their tools only pzstd begins a file with one.
    Magic{0xf0ffffff, 0x502a4d18, {Compression::zstd, "zstd"}},
    Magic{0xffffffff, 0x04224d18, {Compression::lz4, "lz4"}},
    Magic{0xffffffff, 0x02214c18, {Compression::unsupported, "lz4's legacy format"}},
    Magic{0xffffff00, 0x425a6800, {Compression::bzip2, "bzip2"}},
    Magic{0xffffffff, 0xfd377a58, {Compression::xz, "xz"}},
    Magic{0xffffffff, 0x4c5a4950, {Compression::unsupported, "lzip"}},
    Magic{0xffffffff, 0x894c5a4f, {Compression::unsupported, "lzop"}},
    Magic{0xffff0000, 0x1f9d0000, {Compression::unsupported, "compress"}},
    Magic{0xffffffff, 0x504b0304, {Compression::unsupported, "zip"}},
    Magic{0xffffffff, 0x377abcaf, {Compression::unsupported, "7-Zip"}},
};

}  // namespace

CompressionSign detect_compression(std::span<const uint8_t> first_bytes) {
    if (first_bytes.size() < compression_magic_length) return {};
    const uint32_t first = load_be32(first_bytes.data());
    const auto* magic = std::find_if(magics.begin(), magics.end(),
                                     [first](const Magic& m) { return (first & m.mask) == m.value; });
    return magic == magics.end() ? CompressionSign{} : magic->sign;
}

Decompressor::Decompressor(std::unique_ptr<ByteSource> stored, std::vector<uint8_t> first_bytes,
                           std::string_view name)
    : stored_(std::move(stored)), input_(std::move(first_bytes)), input_end_(input_.size()), name_(name) {
    input_.resize(std::max(input_bytes, input_end_));
}

bool Decompressor::refill() {
    input_begin_ = 0;
    input_end_ = stored_->read(input_);
    return input_end_ > 0;
}

size_t Decompressor::read(std::span<uint8_t> into) {
    size_t made = 0;
    while (!ended_ && made < into.size()) {
        if (input_begin_ == input_end_ && !output_held_) {
            // What is made is given before the next stored bytes are waited for.
            if (made > 0) break;
            if (!refill()) {
                ended_ = true;
                if (!stored_->fault().empty()) {
                    fault_ = stored_->fault();
                } else if (!may_end()) {
                    fault_ = fmt::format("the {} compressed data are cut off", name_);
                }
                break;
            }
        }
        // What is held comes out first, alone: were the next input bad, it would be lost with it.
        const size_t offered = output_held_ ? 0 : input_end_ - input_begin_;
        const auto input = std::span<const uint8_t>(input_).subspan(input_begin_, offered);
        const Step step = decode(input, into.subspan(made));
        input_begin_ += step.taken;
        made += step.made;
        output_held_ = made == into.size();
        if (step.why != nullptr) {
            ended_ = true;
            fault_ = fmt::format("the {} compressed data are corrupt ({})", name_, step.why);
        } else if (step.taken == 0 && step.made == 0 && !input.empty()) {
            ended_ = true;
            fault_ = fmt::format("the {} compressed data are corrupt", name_);
        }
    }
    return made;
}

std::unique_ptr<ByteSource> make_decompressor(Compression compression, std::unique_ptr<ByteSource> stored,
                                              std::vector<uint8_t> first_bytes) {
    switch (compression) {
        case Compression::gzip:
            return std::make_unique<GzipDecompressor>(std::move(stored), std::move(first_bytes));
        case Compression::zstd:
            return std::make_unique<ZstdDecompressor>(std::move(stored), std::move(first_bytes));
        case Compression::lz4:
            return std::make_unique<Lz4Decompressor>(std::move(stored), std::move(first_bytes));
        case Compression::xz:
            return std::make_unique<XzDecompressor>(std::move(stored), std::move(first_bytes));
        case Compression::bzip2:
            return std::make_unique<Bzip2Decompressor>(std::move(stored), std::move(first_bytes));
        case Compression::none:
        case Compression::unsupported:
            break;
    }
    return nullptr;
}

}  // namespace sanscope
