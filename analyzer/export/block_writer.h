// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include "analyzer/export/byte_sink.h"

namespace sanscope {

// Gathers small pieces into blocks for a ByteSink. Once the sink has refused, everything appended is dropped:
// a caller in a long loop asks ok() now and then. finish() must be called: nothing is written on destruction.
class BlockWriter {
  public:
    explicit BlockWriter(ByteSink& sink) : sink_(sink), block_(std::make_unique<char[]>(block_size)) {}

    void append(char character) {
        if (used_ == block_size) flush();
        block_[used_++] = character;
    }
    void append(std::string_view text) {
        if (text.empty()) return;  // which may point nowhere
        if (text.size() > block_size - used_) {
            flush();
            if (text.size() > block_size) {
                ok_ = ok_ && sink_.write(text);
                return;
            }
        }
        std::memcpy(block_.get() + used_, text.data(), text.size());
        used_ += text.size();
    }

    bool ok() const { return ok_; }
    // Writes what is left; true when the sink took everything.
    bool finish() {
        flush();
        return ok_;
    }

  private:
    static constexpr size_t block_size = size_t{64} * 1024;

    void flush() {
        ok_ = ok_ && sink_.write({block_.get(), used_});
        used_ = 0;
    }

    ByteSink& sink_;
    std::unique_ptr<char[]> block_;
    size_t used_ = 0;
    bool ok_ = true;
};

}  // namespace sanscope
