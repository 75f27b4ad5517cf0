// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/inference/sent_history.h"

#include <algorithm>

#include "analyzer/base/saturated_sum.h"

namespace sanscope {
namespace {

// Farther than this no window reaches (RFC 7323 §2.3).
constexpr int32_t beyond_any_window = 1 << 30;
// Nobody knows how much was sent before a capture that begins in the midst.
constexpr uint32_t before_capture = 1u << 29;
// A larger hole than this was not lost by a sniffer: the capture paused.
constexpr int32_t longest_hole = 1 << 24;
// So many packets may lie between two whose IP identifications are compared.
constexpr int32_t ip_id_reach = 16'384;
// Queues to one tap put an acknowledgement before its segment by no more than this.
constexpr int64_t early_ack_ns = 10'000'000;
// No retransmission timeout is shorter (TCP_RTO_MIN).
constexpr int64_t least_timeout_ns = 200'000'000;
// Below this, times do not show who answered whom.
constexpr int64_t clocks_order_ns = 100'000;
// Nobody keeps a connection alive sooner.
constexpr int64_t least_keep_alive_ns = 900'000'000;
constexpr size_t forgotten_at_once = SentHistory::max_holes / 4;

int32_t ip_id_distance(uint16_t from, uint16_t to) {
    return static_cast<int16_t>(static_cast<uint16_t>(to - from));
}

}  // namespace

void SentHistory::on_other(SentSegment& segment, uint32_t length, int64_t round_trip_ns) {
    if ((segment.flags & tcp_rst) != 0) return;
    if (!begun_) {
        if (length > 0) return begin(segment, length);
        if ((segment.flags & tcp_ack) == 0) return;
        sent_before_ = segment.seq;
        any_sent_before_ = true;
        return;
    }
    const int32_t ahead = end_.distance_to(segment.seq);
    if (ahead > beyond_any_window || ahead < -beyond_any_window) {
        // TcpConnection takes it for this connection's all the same: the capture paused for long.
        if (length > 0) begin(segment, length);
        return;
    }
    if (ahead == -1 && keeps_alive(segment, length)) {
        segment.keeps_alive = true;
        if (length > 0) segment.sent = Sent::again;
        return;
    }
    const Serial32 end = segment.seq + length;
    if (ahead >= 0) {
        // The sequence number of a pure acknowledgement is SND.NXT (RFC 9293 §3.10.7.4): what it passes over was sent.
        if (length == 0 && (ahead == 0 || (segment.flags & tcp_ack) == 0)) return;
        if (ahead > 0) {
            const bool sent_before = was_sent_before_start(segment);
            add_hole(end_, segment.seq, mark_of(segment));
            holes_.back().is_start = sent_before;
        } else {
            segment.sent = judge_acknowledged(segment, end);
        }
        advance(segment, length);
        cover();
        return;
    }
    if (length > 0) on_repeated(segment, end, round_trip_ns);
}

void SentHistory::begin(const SentSegment& segment, uint32_t length) {
    const bool again = begun_;
    begun_ = true;
    holes_.clear();
    repaired_.clear();
    repaired_count_ = 0;
    any_forgotten_ = false;
    next_missing_ns_ = INT64_MAX;
    uncovered_ns_ = no_time;
    const bool is_syn = (segment.flags & tcp_syn) != 0;
    begun_late_ = !is_syn;
    begun_at_ = segment.seq;
    begun_length_ = length;
    front_ = {};
    end_ = segment.seq;
    if (!is_syn && !again && any_ack_ && start_.before(segment.seq)) {
        add_holes_before(segment);
    } else if (!is_syn) {
        add_hole(Serial32(segment.seq.value - before_capture), segment.seq, mark_of(segment));
        holes_.back().is_start = true;
    }
    advance(segment, length);
}

// The first segment that was captured of this side, and the other one had acknowledged bytes before it.
void SentHistory::add_holes_before(const SentSegment& segment) {
    const Serial32 start =
        start_.distance_to(segment.seq) > longest_hole ? Serial32(segment.seq.value - longest_hole) : start_;
    const Serial32 heard =
        std::clamp(acknowledged_, start, segment.seq, [](Serial32 a, Serial32 b) { return a.before(b); });
    const auto add = [&](Serial32 begin, Serial32 end, bool is_start) {
        if (!begin.before(end)) return;
        add_hole(begin, end, mark_of(segment));
        holes_.back().is_start = is_start;
    };
    add(Serial32(start.value - before_capture), start, true);
    add(start, heard, false);
    if (start.before(heard)) note_acknowledged(holes_.back(), acknowledged_ns_, acknowledged_by_);
    // Of a capture that begins in the midst, these may have been on their way all the time.
    add(heard, segment.seq, !opened_);
}

// An acknowledgement, and nothing of this side was captured yet.
void SentHistory::note_start(const ReceivedAck& ack) {
    // What was on its way when the capture began is acknowledged, or sent again, by then.
    constexpr int64_t on_its_way_ns = 1'000'000'000;
    if (!any_ack_) first_heard_ns_ = ack.time_ns;
    if (!any_ack_ || (!opened_ && ack.time_ns - first_heard_ns_ < on_its_way_ns)) start_ = ack.ack;
}

// The byte before SND.NXT asks whether the other side still lives. Either it is known to have that byte; or the byte
// comes alone after a silence and without PSH, which no segment of one byte lacks that an application wrote.
bool SentHistory::keeps_alive(const SentSegment& segment, uint32_t length) const {
    if (length > 1 || (segment.flags & (tcp_syn | tcp_fin)) != 0) return false;
    if (any_ack_ && !acknowledged_.before(end_)) return true;
    return length == 1 && (segment.flags & tcp_psh) == 0 &&
           segment.time_ns - front_.time_ns >= least_keep_alive_ns;
}

void SentHistory::on_repeated(SentSegment& segment, Serial32 end, int64_t round_trip_ns) {
    const auto overlapping = [&](const Hole& hole) {
        return segment.seq.before(hole.end) && hole.begin.before(end);
    };
    const auto found = std::find_if(holes_.begin(), holes_.end(), overlapping);
    segment.sent = Sent::again;
    if (found == holes_.end()) {
        if (is_late_original(segment, end, segment.overtaken_ns)) {
            segment.sent = Sent::late;
            segment.overtaken = segment.asked = true;
            return;
        }
        if (any_forgotten_ && segment.seq.before(forgotten_) && !sent_after_front(segment))
            segment.sent = Sent::unknown;
    } else if (!segment.seq.before(found->begin) && !end.after(found->end)) {
        segment.sent = judge(*found, segment, round_trip_ns);
        segment.asked = found->asked;
        // Only a pure acknowledgement has overtaken what nothing behind was seen of.
        if (segment.sent == Sent::late && !segment.seq.before(data_end_)) segment.sent = Sent::first;
        if (segment.sent == Sent::late) {
            acks_stand_early_ = acks_stand_early_ || found->acknowledged_ns != no_time;
            segment.overtaken = true;
            segment.overtaken_ns = std::max<int64_t>(0, segment.time_ns - found->behind.time_ns);
        }
        if (segment.sent == Sent::again) keep_repaired(*found, segment, end);
        fill(static_cast<size_t>(found - holes_.begin()), segment.seq, end);
    } else {
        for (size_t i = holes_.size(); i-- > 0;) {
            if (overlapping(holes_[i])) fill(i, segment.seq, end);
        }
    }
    if (end_.before(end)) {
        advance(segment, static_cast<uint32_t>(segment.seq.distance_to(end)));
        cover();
    } else if (data_end_.before(end)) {
        data_end_ = end;
    }
    if (segment.sent != Sent::again || !any_ack_ || acknowledged_.before(end)) return;
    const int64_t since_ns = segment.time_ns - acknowledged_ns_;
    segment.acknowledged = !acks_stand_early_ && since_ns >= 0;
    segment.acknowledged_before =
        round_trip_ns != no_time &&
        since_ns > saturated_sum(saturated_sum(round_trip_ns, round_trip_ns), early_ack_ns);
}

// Fills a hole, or a part of it.
Sent SentHistory::judge(const Hole& hole, const SentSegment& segment, int64_t round_trip_ns) const {
    if (ip_ids_count() && segment.ip_id != 0 && hole.behind.ip_id != 0) {
        const int32_t to_behind = ip_id_distance(segment.ip_id, hole.behind.ip_id);
        if (lies_between(hole.before, segment, hole.behind)) return Sent::late;
        if (to_behind < 0 && to_behind > -ip_id_reach) return Sent::again;
    }
    if (segment.has_timestamp && hole.behind.has_timestamp && segment.timestamp != hole.behind.timestamp) {
        return Serial32(segment.timestamp).before(Serial32(hole.behind.timestamp)) ? Sent::late : Sent::again;
    }
    if (hole.acknowledged_ns != no_time) {
        return segment.time_ns - hole.acknowledged_ns < early_ack_ns ? Sent::late : Sent::again;
    }
    const int64_t waited_ns = segment.time_ns - hole.behind.time_ns;
    if (!hole.asked) return waited_ns < least_timeout_ns ? Sent::late : Sent::again;
    // Asked for and sent again within the tick of TSval. Sooner than a round trip nobody can have; on a path so short
    // that clocks do not order what happens at its ends, nothing shows which, and that it was sent but once needs
    // nothing unseen.
    const bool short_path = round_trip_ns < clocks_order_ns;  // or no_time, the least of all
    return waited_ns < (short_path ? early_ack_ns : round_trip_ns) ? Sent::late : Sent::again;
}

// By the IP identification: it was sent after the one, and before the other.
bool SentHistory::lies_between(const Mark& before, const SentSegment& segment, const Mark& behind) const {
    const int32_t to_behind = ip_id_distance(segment.ip_id, behind.ip_id);
    const bool follows =
        before.time_ns == no_time || before.ip_id == 0 || ip_id_distance(before.ip_id, segment.ip_id) > 0;
    return to_behind > 0 && to_behind < ip_id_reach && follows;
}

// By TSval: it was sent before its repair, and no later than what revealed the hole.
bool SentHistory::is_older(const SentSegment& segment, const Mark& behind, const Mark& repair) {
    if (!segment.has_timestamp || !behind.has_timestamp || !repair.has_timestamp) return false;
    const Serial32 sent(segment.timestamp);
    return sent.before(Serial32(repair.timestamp)) && !sent.after(Serial32(behind.timestamp));
}

// The original comes after its repair, as deep reordering has it: the bytes were sent again, but by the packet before.
bool SentHistory::is_late_original(const SentSegment& segment, Serial32 end, int64_t& overtaken_ns) const {
    for (const Repaired& repaired : repaired_) {
        if (segment.seq.before(repaired.begin) || end.after(repaired.end)) continue;
        const bool by_ip_id = ip_ids_count() && segment.ip_id != 0 && repaired.behind.ip_id != 0;
        const bool is_late = by_ip_id ? lies_between(repaired.before, segment, repaired.behind)
                                      : is_older(segment, repaired.behind, repaired.repair);
        if (!is_late) continue;
        overtaken_ns = std::max<int64_t>(0, segment.time_ns - repaired.behind.time_ns);
        return true;
    }
    return false;
}

void SentHistory::keep_repaired(const Hole& hole, const SentSegment& repair, Serial32 end) {
    if (repaired_.size() < max_repaired) repaired_.emplace_back();
    repaired_[repaired_count_++ % max_repaired] = {repair.seq, end, hole.before, hole.behind,
                                                   mark_of(repair)};
}

// Follows all that was seen, but the receiver has acknowledged it. Either that acknowledgement stands too early in the
// capture, or the first copy is lacking.
Sent SentHistory::judge_acknowledged(const SentSegment& segment, Serial32 end) const {
    if (uncovered_ns_ == no_time || acknowledged_.before(end)) return Sent::first;
    const bool next_id = ip_id_distance(ip_id_before_, segment.ip_id) == 1;
    if (ip_ids_count() && segment.ip_id != 0 && next_id) return Sent::first;
    // The receiver echoes only what it has (RFC 7323 §4.3).
    const bool echoed = segment.has_timestamp && uncovered_echoes_ &&
                        !Serial32(uncovered_echo_).before(Serial32(segment.timestamp));
    if (echoed || segment.time_ns - uncovered_ns_ < early_ack_ns) return Sent::first;
    return Sent::again;
}

// By the packets alone: it was sent after the farthest byte.
bool SentHistory::sent_after_front(const SentSegment& segment) const {
    if (ip_ids_count() && segment.ip_id != 0 && front_.ip_id != 0) {
        const int32_t step = ip_id_distance(front_.ip_id, segment.ip_id);
        return step > 0 && step < ip_id_reach;
    }
    return segment.has_timestamp && front_.has_timestamp &&
           Serial32(front_.timestamp).before(Serial32(segment.timestamp));
}

// Amid losses a capture begins with what is sent again, and goes on with new data: what lies between was sent before it
// began. The receiver had SACKed it, an acknowledgement of the sender's own had passed over it, or the IP identification
// steps over fewer packets than it takes.
bool SentHistory::was_sent_before_start(const SentSegment& segment) {
    constexpr int64_t most_at_start = 16;  // segments; chosen, not measured
    if (!begun_late_) return false;
    int64_t seen = begun_at_.distance_to(end_);
    for (const Hole& hole : holes_) {
        if (!hole.begin.before(begun_at_)) seen -= hole.begin.distance_to(hole.end);
    }
    const int64_t length = std::max(begun_length_, segment.length);
    begun_late_ = seen >= 0 && seen <= most_at_start * length;
    if (!begun_late_) return false;
    if (any_sent_before_ && !sent_before_.before(segment.seq)) return true;
    if (any_sacked_ && end_.before(sacked_to_)) return true;
    if (segment.ip_id == 0 || front_.ip_id == 0) return false;
    const int64_t between = ip_id_distance(front_.ip_id, segment.ip_id) - 1;
    const int64_t missing = (end_.distance_to(segment.seq) - 1) / length + 1;
    return between >= 0 && 2 * between < missing;
}

void SentHistory::note_sacked(const ReceivedAck& ack) {
    for (size_t k = 0; k < std::min<size_t>(ack.sack_blocks, ack.sack.size()); ++k) {
        if (!any_sacked_ || ack.sack[k].end.after(sacked_to_)) sacked_to_ = ack.sack[k].end;
        any_sacked_ = true;
    }
}

void SentHistory::add_hole(Serial32 begin, Serial32 end, const Mark& behind) {
    if (holes_.size() >= max_holes) {
        forgotten_ = holes_[forgotten_at_once - 1].end;
        any_forgotten_ = true;
        holes_.erase(holes_.begin(), holes_.begin() + forgotten_at_once);
    }
    Hole& hole = holes_.emplace_back();
    hole.begin = begin;
    hole.end = end;
    hole.before = front_;
    hole.behind = behind;
    hole.reported = begin.distance_to(end) > longest_hole;
    if (any_ack_ && uncovered_ns_ != no_time && !acknowledged_.before(end))
        note_acknowledged(hole, uncovered_ns_, acknowledged_by_);
}

void SentHistory::fill(size_t i, Serial32 begin, Serial32 end) {
    Hole& hole = holes_[i];
    const bool left = hole.begin.before(begin);
    const bool right = end.before(hole.end);
    if (left && right) {
        Hole rest = hole;
        rest.begin = end;
        hole.end = begin;
        if (holes_.size() < max_holes) holes_.insert(holes_.begin() + static_cast<ptrdiff_t>(i) + 1, rest);
    } else if (left) {
        hole.end = begin;
    } else if (right) {
        hole.begin = end;
    } else {
        holes_.erase(holes_.begin() + static_cast<ptrdiff_t>(i));
    }
}

// What is acknowledged has now been seen.
void SentHistory::cover() {
    if (uncovered_ns_ == no_time || end_.before(acknowledged_)) return;
    uncovered_ns_ = no_time;
    acks_stand_early_ = true;
}

void SentHistory::note_acknowledged(Hole& hole, int64_t time_ns, PacketNumber packet) {
    hole.acknowledged_ns = time_ns;
    hole.acknowledged_by = packet;
    if (!hole.reported && !hole.is_start) next_missing_ns_ = std::min(next_missing_ns_, time_ns + grace_ns);
}

void SentHistory::note_acknowledgement(const ReceivedAck& ack, bool repeats) {
    if ((ack.flags & tcp_rst) != 0) return;
    if (repeats) return note_request(ack);
    if (begun_) {
        const int32_t beyond = end_.distance_to(ack.ack);
        if (beyond > beyond_any_window || beyond < -beyond_any_window) return;
        if (beyond > 0 && uncovered_ns_ == no_time) {
            uncovered_ns_ = ack.time_ns;
            uncovered_echo_ = ack.timestamp_echo;
            uncovered_echoes_ = ack.has_timestamp;
            next_missing_ns_ = std::min(next_missing_ns_, ack.time_ns + grace_ns);
        }
    } else {
        note_start(ack);
    }
    any_ack_ = true;
    acknowledged_ = ack.ack;
    acknowledged_ns_ = ack.time_ns;
    acknowledged_by_ = ack.packet;
    if (holes_.empty()) return;
    for (size_t i = holes_.size(); i-- > 0 && holes_[i].acknowledged_ns == no_time;) {
        if (!ack.ack.before(holes_[i].end)) note_acknowledged(holes_[i], ack.time_ns, ack.packet);
    }
    note_request(ack);
}

// The receiver SACKs bytes beyond a hole, or acknowledges the same again without having sent anything (RFC 5681 §2).
void SentHistory::note_request(const ReceivedAck& ack) {
    if (!ack.ack.before(holes_.back().end)) return;
    const bool duplicate = ack.ack == acknowledged_ && ack.payload_length == 0 &&
                           ack.time_ns != acknowledged_ns_ && (ack.flags & (tcp_syn | tcp_fin)) == 0;
    if (ack.sack_blocks == 0 && !duplicate) return;
    for (size_t i = holes_.size(); i-- > 0 && holes_[i].end.after(ack.ack);) {
        Hole& hole = holes_[i];
        if (duplicate && !hole.begin.after(ack.ack)) hole.asked = true;
        for (size_t k = 0; k < std::min<size_t>(ack.sack_blocks, ack.sack.size()); ++k) {
            if (ack.sack[k].end.after(hole.begin)) hole.asked = true;
        }
    }
}

bool SentHistory::take_missing(int64_t now_ns, bool all, Missing& missing) {
    const auto is_due = [&](int64_t acknowledged_ns) {
        return acknowledged_ns != no_time && (all || now_ns - acknowledged_ns >= grace_ns);
    };
    if (is_due(uncovered_ns_)) {
        add_hole(end_, acknowledged_, Mark{});
        end_ = acknowledged_;
        uncovered_ns_ = no_time;
    }
    int64_t next_ns = INT64_MAX;
    for (Hole& hole : holes_) {
        if (hole.reported || hole.is_start) continue;
        if (is_due(hole.acknowledged_ns)) {
            hole.reported = true;
            missing = {hole.begin, hole.end, hole.acknowledged_by, hole.acknowledged_ns};
            return true;
        }
        if (hole.acknowledged_ns != no_time) next_ns = std::min(next_ns, hole.acknowledged_ns + grace_ns);
    }
    if (uncovered_ns_ != no_time) next_ns = std::min(next_ns, uncovered_ns_ + grace_ns);
    next_missing_ns_ = next_ns;
    return false;
}

}  // namespace sanscope
