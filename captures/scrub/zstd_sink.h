// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "analyzer/export/byte_sink.h"

struct ZSTD_CCtx_s;

namespace sanscope {

// Compresses what it takes to one zstd frame (RFC 8878) with a checksum, for another sink.
class ZstdSink final : public ByteSink {
  public:
    explicit ZstdSink(ByteSink& to);
    ~ZstdSink() override;

    bool write(std::span<const char> bytes) override { return compress(bytes, false); }
    // Ends the frame; must be called. False where not everything was taken.
    bool finish() { return compress({}, true); }
    const Error* error() const override;

  private:
    bool compress(std::span<const char> bytes, bool end);

    ByteSink& to_;
    ZSTD_CCtx_s* context_;
    std::vector<char> out_;
    bool ok_ = true;
    Error own_error_;
};

}  // namespace sanscope
