// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/vantage/echo_evidence.h"

#include <algorithm>

namespace sanscope {

AckRange EchoEvidence::processed_before(const SentSegment& segment, const RemoteAcks& acks) const {
    AckRange range{acks.first(), acks.end()};
    const bool old_echo = echo_is_old_ && segment.timestamp_echo == old_echo_ && segment.ack == acknowledged_;
    // An echo that was old when the sender acknowledged data anew says nothing of what came with or after those data. A
    // time that contradicts another means an acknowledgement that was lost or, behind bulk data of the receiver's own,
    // still queued.
    const bool queueing = !acks.empty() && acks.front().upto.data_end.distance_to(acks.back().upto.data_end) >
                                               static_cast<int64_t>(bulk_segments) * mss_;
    const bool firm = !old_echo || queueing;
    const bool beyond_hole = receives_beyond_hole_ && segment.ack == acknowledged_;
    const bool echoes = unechoed_acks_ < most_unechoed_acks || segment.timestamp_echo != old_echo_;
    if (segment.has_timestamp && echoes) {
        const Serial32 echo(segment.timestamp_echo);
        const AckIndex echoed =
            acks.find_first([&](const PendingAck& a) { return !Serial32(a.ack.timestamp).before(echo); });
        AckIndex beyond = echoed;
        if (echoed != acks.end() && Serial32(acks[echoed].ack.timestamp) == echo) {
            if (acks[echoed].first_of_tick && !segment.unseen) range.least = echoed + 1;
            beyond =
                acks.find_first([&](const PendingAck& a) { return Serial32(a.ack.timestamp).after(echo); });
        }
        // What lies behind data that the sender had not acknowledged by then is not echoed.
        if (any_ && !beyond_hole && firm && beyond != acks.end() &&
            !acks[beyond].ack.seq.after(acknowledged_)) {
            range.most = beyond;
        }
    }
    const AckIndex bringer =
        acks.find_first([&](const PendingAck& a) { return !a.upto.data_end.before(segment.ack); });
    if (bringer != acks.end() && acks[bringer].upto.data_end == segment.ack) {
        if (acks[bringer].brings_data && !segment.unseen) range.least = std::max(range.least, bringer + 1);
    }
    const AckIndex opened = acks.opened_window(segment);
    if (opened != acks.end()) range.least = std::max(range.least, opened + 1);
    const AckIndex unknown_data =
        acks.find_first([&](const PendingAck& a) { return a.upto.data_end.after(segment.ack); });
    if (!beyond_hole) range.most = std::min(range.most, unknown_data);
    range.most = std::max(range.most, range.least);
    range.most_is_firm = firm;
    return range;
}

void EchoEvidence::on_segment_given(const SentSegment& segment, bool event, Serial32 processed) {
    if ((segment.flags & tcp_ack) != 0) {
        const bool same = any_ && segment.ack == acknowledged_;
        const bool beyond_hole = same && (receives_beyond_hole_ || !event);
        if (beyond_hole && !receives_beyond_hole_) processed_before_hole_ = processed;
        receives_beyond_hole_ = beyond_hole;
        echo_is_old_ = any_ && (!same || (echo_is_old_ && old_echo_ == segment.timestamp_echo));
        if (old_echo_ != segment.timestamp_echo) unechoed_acks_ = 0;
        old_echo_ = segment.timestamp_echo;
        acknowledged_ = segment.ack;
    }
    any_ = true;
}

void EchoEvidence::on_ack_given(uint32_t timestamp) {
    if (Serial32(timestamp).after(Serial32(old_echo_)))
        unechoed_acks_ = std::min(unechoed_acks_ + 1, most_unechoed_acks);
}

}  // namespace sanscope
