// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/points/point_capture.h"

namespace sanscope {

// What the receiver of a stream said of it, as one point heard that: its acknowledgements (RFC 9293 §3.4), SACKs (RFC 2018) and
// D-SACKs (RFC 2883). Moments are the point's packet numbers; positions those of the stream.
class ReceiverView {
  public:
    // `places`: the segments of the other direction. `near`: a position of the stream to begin with.
    ReceiverView(const PointCapture& capture, std::span<const uint32_t> places, int64_t near);

    // The first packet that acknowledges everything before `end`; 0: none.
    uint64_t acknowledged(int64_t end) const;
    // Whether all of [begin, end) was acknowledged or in one SACK block, in a packet behind `after` and before `before`.
    bool received(int64_t begin, int64_t end, uint64_t after, uint64_t before) const;
    // Whether something behind `end`, and nothing of [begin, end), was told to have arrived in that time: a hole.
    bool missed(int64_t begin, int64_t end, uint64_t after, uint64_t before) const;
    // Whether it said behind `after` that bytes of [begin, end) came twice.
    bool received_twice(int64_t begin, int64_t end, uint64_t after) const;

  private:
    struct Ack {
        uint64_t packet;
        int64_t highest;  // up to here and before
    };
    struct Block {
        uint64_t packet;
        int64_t begin;
        int64_t end;
        bool twice;
    };
    std::vector<Ack> acks_;  // each acknowledges more than the one before
    std::vector<Block> blocks_;
};

}  // namespace sanscope
