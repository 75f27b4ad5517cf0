// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sanscope {

// Which bytes of a buffer that is filled again and again may be other than zero: a stretch of zeros need not be written where they
// stand already. Stretches come in the order of their places; whatever is written has to be told, until the buffer is begun again.
class WrittenRanges {
  public:
    WrittenRanges() = default;
    // Of one whose bytes may be anything.
    explicit WrittenRanges(size_t capacity) : before_{{0, capacity}} {}

    // Bytes from `begin` to `end` of it were written.
    void wrote(size_t begin, size_t end) {
        if (!now_.empty() && (begin <= now_.back().end || now_.size() >= most)) {
            if (end > now_.back().end) now_.back().end = end;
        } else {
            now_.push_back({begin, end});
        }
    }
    // They are to be zeros.
    void make_zero(uint8_t* memory, size_t begin, size_t end);
    // It is filled from its first byte on again.
    void begin_again();

  private:
    struct Range {
        size_t begin;
        size_t end;
    };
    static constexpr size_t most = 4096;  // of many small ones, the last goes on over what lies between

    std::vector<Range> before_;  // when it was filled last
    size_t at_ = 0;              // of these, all before lie before what is written now
    std::vector<Range> now_;
};

}  // namespace sanscope
