// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/points/copy_matching.h"

namespace sanscope {

// When one point first saw each byte of a stream, and when it had seen all bytes before one, as the receiver's application must
// wait for them. Copies are those of a StreamMatch, told by their index there; a later index is a later packet. O(log n) a question.
class StreamTimes {
  public:
    explicit StreamTimes(const std::vector<Copy>& copies);

    // The first copy of the byte at `position`; nullopt where the point saw none.
    std::optional<uint32_t> first(int64_t position) const;
    // With this copy all that the point ever saw of the bytes before `end` had come by; nullopt where there are none.
    std::optional<uint32_t> complete(int64_t end) const;

  private:
    // Bytes that one copy was the first to show.
    struct Piece {
        int64_t begin;
        int64_t end;
        uint32_t copy;
        uint32_t latest;  // of this piece's copy and those of all before it
    };
    void add(int64_t begin, int64_t end, uint32_t copy);

    std::vector<Piece> pieces_;  // in order, none over another
};

}  // namespace sanscope
