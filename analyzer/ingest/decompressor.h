// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/ingest/byte_source.h"

namespace sanscope {

enum class Compression : uint8_t { none, gzip, zstd, lz4, xz, bzip2, unsupported };

// What the first bytes of an input say of its compression.
struct CompressionSign {
    Compression compression = Compression::none;
    std::string_view name;  // "gzip", "lzip", …; empty where it is none
};

// How many first bytes tell_compression() looks at.
constexpr size_t compression_magic_length = 4;
CompressionSign detect_compression(std::span<const uint8_t> first_bytes);

// The part that all decompressors share: taking stored bytes in, and telling the end from a cut. A cut or
// corrupt stream is a fault() after all the bytes that could be made of what is before.
class Decompressor : public ByteSource {
  public:
    size_t read(std::span<uint8_t> into) final;
    const std::string& fault() const final { return fault_; }
    uint64_t stored_bytes_read() const final { return stored_->stored_bytes_read(); }

  protected:
    // `first_bytes` were read from `stored` already.
    Decompressor(std::unique_ptr<ByteSource> stored, std::vector<uint8_t> first_bytes, std::string_view name);

    struct Step {
        size_t taken = 0;           // of the input
        size_t made = 0;            // of the output
        const char* why = nullptr;  // set: the input is corrupt, in the library's words
    };
    // Decodes from `input` (empty: only gives what is still held) into `output` (never empty), as far as it
    // likes; nothing taken and nothing made means that more input is needed.
    virtual Step decode(std::span<const uint8_t> input, std::span<uint8_t> output) = 0;
    // Whether the input may end where decode() has come to.
    virtual bool may_end() const = 0;

  private:
    bool refill();

    std::unique_ptr<ByteSource> stored_;
    std::vector<uint8_t> input_;
    size_t input_begin_ = 0;
    size_t input_end_ = 0;
    bool output_held_ =
        false;  // the last output was filled to the brim: more may be ready without more input
    bool ended_ = false;
    std::string name_;
    std::string fault_;
};

// The decompressor for `compression` (any but none and unsupported) over the bytes of `stored`, of which `first_bytes`
// were read.
std::unique_ptr<ByteSource> make_decompressor(Compression compression, std::unique_ptr<ByteSource> stored,
                                              std::vector<uint8_t> first_bytes);

}  // namespace sanscope
