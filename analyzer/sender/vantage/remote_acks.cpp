// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/vantage/remote_acks.h"

#include <algorithm>

namespace sanscope {

void RemoteAcks::on_new(int64_t now_ns) {
    const Acknowledged before = ring_.size() == 1 ? last_given_ : ring_[ring_.end() - 2].upto;
    PendingAck& pending = ring_.back();
    const ReceivedAck& ack = pending.ack;
    pending.left_ns = now_ns;
    const Serial32 data_end = ack.seq + ack.payload_length;
    pending.brings_data = ack.payload_length > 0 && (!any_ || before.data_end.before(data_end));
    pending.first_of_tick = !any_ || before.timestamp != ack.timestamp;
    Acknowledged& upto = pending.upto;
    upto.last = ack.ack;
    upto.timestamp = ack.timestamp;
    upto.data_end = any_ ? later(before.data_end, data_end) : data_end;
    upto.highest = any_ ? later(before.highest, ack.ack) : ack.ack;
    upto.sacked_end = any_ ? later(before.sacked_end, upto.highest) : upto.highest;
    for (size_t i = 0; i < std::min<size_t>(ack.sack_blocks, ack.sack.size()); ++i) {
        upto.sacked_end = later(upto.sacked_end, ack.sack[i].end);
    }
    const Serial32 window_end = ack.ack + ack.window;
    upto.window_end = any_ ? later(before.window_end, window_end) : window_end;
    const bool duplicate = any_ && ack.payload_length == 0 && before.last == ack.ack;
    upto.duplicates = duplicate ? before.duplicates + 1 : 0;
    any_ = true;
}

PendingAck& RemoteAcks::give() {
    PendingAck& given = ring_.front();
    any_given_ = true;
    last_given_ = given.upto;
    ring_.pop_front();
    return given;
}

AckIndex RemoteAcks::opened_window(const SentSegment& segment) const {
    const Serial32 end = segment.seq + segment.length;
    const bool probe = segment.length <= 1;
    if (probe || segment.unseen || !any_given_ || !last_given_.window_end.before(end)) return ring_.end();
    const AckIndex opened = find_first([&](const PendingAck& a) { return !a.upto.window_end.before(end); });
    return opened != ring_.end() && ring_[opened].ack.scale_known ? opened : ring_.end();
}

AckIndex RemoteAcks::asked_by_sack(Serial32 segment_end, uint32_t mss) const {
    const Serial32 enough = segment_end + 3 * mss;
    return find_first([&](const PendingAck& a) { return !a.upto.sacked_end.before(enough); });
}

AckIndex RemoteAcks::asked_by_duplicates(Serial32 segment_begin) const {
    const AckIndex asking = find_first([&](const PendingAck& a) {
        return a.upto.highest.after(segment_begin) ||
               (a.upto.highest == segment_begin && a.upto.duplicates >= 3);
    });
    const bool asks = asking != ring_.end() && ring_[asking].upto.highest == segment_begin;
    return asks ? asking : ring_.end();
}

}  // namespace sanscope
