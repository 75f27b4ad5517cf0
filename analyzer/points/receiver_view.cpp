// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/points/receiver_view.h"

#include <algorithm>

#include "analyzer/base/serial32.h"
#include "analyzer/net/decoded_packet.h"

namespace sanscope {
namespace {

// Blocks looked at for one question: a receiver with a hole repeats itself with every segment.
constexpr size_t most_looked_at = 20'000;

int64_t unwrapped(int64_t near, uint32_t seq) {
    return near + Serial32(static_cast<uint32_t>(near)).distance_to(Serial32(seq));
}

}  // namespace

ReceiverView::ReceiverView(const PointCapture& capture, std::span<const uint32_t> places, int64_t near) {
    int64_t highest = near;
    for (const uint32_t place : places) {
        const SegmentRecord& record = capture.record(place);
        if ((record.flags & tcp_ack) == 0 || (record.flags & tcp_rst) != 0) continue;
        const int64_t ack = unwrapped(highest, record.ack);
        if (acks_.empty() || ack > highest) {
            highest = std::max(highest, ack);
            acks_.push_back({record.packet, ack});
        }
        const SackRecord* sack = capture.sack(record);
        if (sack == nullptr) continue;
        for (size_t i = 0; i < sack->blocks; ++i) {
            const Block block{record.packet, unwrapped(ack, sack->begin[i]), unwrapped(ack, sack->end[i]),
                              false};
            if (block.end <= block.begin) continue;
            // A first block that is acknowledged, or lies in the second, tells of a duplicate (RFC 2883 §4).
            bool twice = i == 0 && block.end <= ack;
            if (i == 0 && !twice && sack->blocks > 1) {
                twice = block.begin >= unwrapped(ack, sack->begin[1]) &&
                        block.end <= unwrapped(ack, sack->end[1]);
            }
            blocks_.push_back({block.packet, block.begin, block.end, twice});
        }
    }
}

uint64_t ReceiverView::acknowledged(int64_t end) const {
    const auto found = std::ranges::lower_bound(acks_, end, {}, &Ack::highest);
    return found == acks_.end() ? 0 : found->packet;
}

bool ReceiverView::received(int64_t begin, int64_t end, uint64_t after, uint64_t before) const {
    const uint64_t acked = acknowledged(end);
    if (acked > after && acked < before) return true;
    auto block = std::ranges::upper_bound(blocks_, after, {}, &Block::packet);
    for (size_t i = 0; i < most_looked_at && block != blocks_.end() && block->packet < before; ++i, ++block) {
        if (!block->twice && block->begin <= begin && block->end >= end) return true;
    }
    return false;
}

bool ReceiverView::missed(int64_t begin, int64_t end, uint64_t after, uint64_t before) const {
    bool beyond = false;
    auto block = std::ranges::upper_bound(blocks_, after, {}, &Block::packet);
    for (size_t i = 0; i < most_looked_at && block != blocks_.end() && block->packet < before; ++i, ++block) {
        if (block->begin < end && block->end > begin) return false;
        beyond = beyond || block->begin >= end;
    }
    return beyond;
}

bool ReceiverView::received_twice(int64_t begin, int64_t end, uint64_t after) const {
    auto block = std::ranges::upper_bound(blocks_, after, {}, &Block::packet);
    for (size_t i = 0; i < most_looked_at && block != blocks_.end(); ++i, ++block) {
        if (block->twice && block->begin < end && block->end > begin) return true;
    }
    return false;
}

}  // namespace sanscope
