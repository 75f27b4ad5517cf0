// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/vantage/remote_segments.h"

#include <algorithm>

namespace sanscope {
namespace {

constexpr size_t segments_of_write_most = 64;
// A hole of more segments is given in larger pieces.
constexpr uint32_t most_hole_segments = 1024;
// A hole is held open for a round trip, and at least this.
constexpr int64_t least_hold_ns = 1'000'000;

}  // namespace

void RemoteSegments::on_new(int64_t now_ns, int64_t round_trip_ns) {
    PendingSegment& pending = ring_.back();
    const SentSegment& segment = pending.segment;
    pending.arrival_ns = now_ns;
    pending.kind = Kind::original;
    pending.spaced = false;
    pending.continues_write = false;
    pending.known_lost = false;
    pending.silence_ns = arrivals_.silence_ns(now_ns);
    pending.piece = 0;
    if (segment.keeps_alive) {
        arrivals_.on_ip_id(segment.ip_id);
        pending.kind = Kind::retransmission;
        last_break_ = ring_.end() - 1;
    } else if (sequence_length(segment) == 0) {
        on_new_evidence();
    } else {
        on_new_data(round_trip_ns);
    }
}

void RemoteSegments::on_new_evidence() {
    PendingSegment& pending = ring_.back();
    const SentSegment& segment = pending.segment;
    arrivals_.on_ip_id(segment.ip_id);
    pending.kind = Kind::evidence;
    // Its sequence number is SND.NXT (RFC 9293 §3.10.7.4): what it passes over was sent before it.
    const bool in_state = (segment.flags & tcp_ack) != 0 && (segment.flags & tcp_rst) == 0;
    if (in_state && any_sequence_ && sequence_end_.before(segment.seq)) {
        const Serial32 next = segment.seq;
        add_hole(next);
        sequence_end_ = next;
    }
    last_break_ = ring_.end() - 1;
}

void RemoteSegments::on_new_data(int64_t round_trip_ns) {
    PendingSegment& pending = ring_.back();
    const Serial32 begin = pending.segment.seq;
    const bool after_silence = pending.silence_ns >= std::max(least_timeout_ns, round_trip_ns);
    const int32_t ip_id_step = arrivals_.ip_id_step(pending.segment.ip_id);
    arrivals_.on_segment(pending);
    if (!any_sequence_) sequence_end_ = begin;
    any_sequence_ = true;
    const Serial32 end = end_of(pending.segment);
    // From here on entries move, and it with them.
    if (lone_waits_) settle_lone(round_trip_ns);
    if (after_silence && begin == sequence_end_) {
        lone_waits_ = true;
        lone_ = ring_.end() - 1;
        lone_ip_id_step_ = ip_id_step;
    }
    if (sequence_end_.before(begin)) {
        add_hole(begin);
    } else if (begin.before(sequence_end_) && take_repeated(round_trip_ns)) {
        return;
    }
    sequence_end_ = later(sequence_end_, end);
    if (!ring_.back().continues_write) last_break_ = ring_.end() - 1;
}

// A segment came alone after a silence. If what came next, a round trip later, leaves a hole behind it, it was not new:
// the flight that it began was lost whole before the tap, and sent again after a timeout, new data after the first of
// it (F-RTO, RFC 5682). That the hole was sent before the lone segment, rather than lost by the sniffer behind it, the
// IP identification alone can show: it steps over as many packets before that one, and not after it.
void RemoteSegments::settle_lone(int64_t round_trip_ns) {
    lone_waits_ = false;
    const PendingSegment& next = ring_.back();
    PendingSegment& lone = ring_[lone_];
    const bool hole_behind = sequence_end_ == end_of(lone.segment) && sequence_end_.before(next.segment.seq);
    if (!hole_behind || next.arrival_ns - lone.arrival_ns < round_trip_ns / 10 * 9) return;
    const int32_t length = lone.segment.seq.distance_to(next.segment.seq);
    if (length > largest_hole) return;
    const int32_t behind = end_of(lone.segment).distance_to(next.segment.seq);
    const int32_t missing = (behind - 1) / static_cast<int32_t>(mss_) + 1;
    const bool sent_before =
        arrivals_.ip_id_counts() && lone_ip_id_step_ > missing &&
        ArrivalPattern::ip_id_distance(lone.segment.ip_id, next.segment.ip_id) <= missing;
    if (!sent_before) return;
    lone.kind = Kind::retransmission;
    lone.segment.sent = Sent::again;
    PendingSegment lost = lone;
    make_hole(lost, lone.segment.seq, static_cast<uint32_t>(length));
    lost.known_lost = true;
    sequence_end_ = next.segment.seq;
    ring_.insert(lone_, lost);
    ++holes_;
    ++last_break_;
    head_changed_ = true;
}

// The segment that just came repeats bytes: it is a retransmission, unless a hole was its own, that it fills or could
// have filled. True: then it is gone.
bool RemoteSegments::take_repeated(int64_t round_trip_ns) {
    const PendingSegment repeated = ring_.back();
    ring_.pop_back();
    if (fill_hole(repeated, round_trip_ns)) return true;
    if (repeated.segment.sent == Sent::unclassified && was_given_up(repeated, round_trip_ns)) return true;
    ring_.push_back(repeated);
    ring_.back().kind = Kind::retransmission;
    return false;
}

// The sender's sequence has a hole from where it ended up to there, as the segment that just came reveals.
void RemoteSegments::add_hole(Serial32 end) {
    const int32_t length = sequence_end_.distance_to(end);
    if (length <= 0 || length > largest_hole) return;
    PendingSegment hole = ring_.back();
    make_hole(hole, sequence_end_, static_cast<uint32_t>(length));
    ring_.insert(ring_.end() - 1, hole);
    ++holes_;
}

void RemoteSegments::make_hole(PendingSegment& hole, Serial32 begin, uint32_t length) const {
    hole.kind = Kind::missing;
    hole.spaced = false;
    hole.continues_write = false;
    hole.segment.seq = begin;
    hole.segment.length = length;
    hole.segment.flags = static_cast<uint16_t>(hole.segment.flags & ~(tcp_syn | tcp_fin | tcp_psh));
    hole.segment.unseen = true;
    hole.segment.options_length = 0;
    hole.piece = std::max(mss_, length / most_hole_segments + 1);
}

// Finds the hole that this segment lies in and takes it there if it is the hole's own; else the hole is known for a
// loss. True: taken.
bool RemoteSegments::fill_hole(const PendingSegment& late, int64_t round_trip_ns) {
    if (holes_ == 0) return false;
    const Serial32 begin = late.segment.seq;
    const Serial32 end = end_of(late.segment);
    for (SegmentIndex i = ring_.first(); i != ring_.end(); ++i) {
        PendingSegment& hole = ring_[i];
        if (hole.kind != Kind::missing) continue;
        const Serial32 hole_end = hole.segment.seq + hole.segment.length;
        if (!begin.before(hole_end) || !hole.segment.seq.before(end)) continue;
        if (is_original_of(late, hole, round_trip_ns)) {
            fill_hole_at(i, late);
            return true;
        }
        hole.known_lost = true;
    }
    return false;
}

void RemoteSegments::fill_hole_at(SegmentIndex i, const PendingSegment& late) {
    PendingSegment& filled = ring_[i];
    const PendingSegment hole = filled;
    const Serial32 begin = hole.segment.seq;
    const Serial32 end = begin + hole.segment.length;
    filled = late;
    if (filled.segment.sent == Sent::unclassified) {
        filled.segment.overtaken = true;
        filled.segment.overtaken_ns = late.arrival_ns - hole.arrival_ns;
    }
    --holes_;
    filled.kind = Kind::original;
    filled.spaced = false;
    filled.continues_write = false;
    if (i == ring_.first()) head_changed_ = true;
    const Serial32 late_end = end_of(late.segment);
    if (late_end.before(end)) insert_rest(i + 1, hole, late_end, end);
    if (begin.before(late.segment.seq)) insert_rest(i, hole, begin, late.segment.seq);
}

// Part of a hole stays one.
void RemoteSegments::insert_rest(SegmentIndex i, const PendingSegment& hole, Serial32 begin, Serial32 end) {
    PendingSegment rest = hole;
    rest.segment.seq = begin;
    rest.segment.length = static_cast<uint32_t>(begin.distance_to(end));
    ring_.insert(i, rest);
    last_break_ = std::max(last_break_ + 1, i);
    ++holes_;
}

bool RemoteSegments::is_original_of(const PendingSegment& late, const PendingSegment& revealed_by,
                                    int64_t round_trip_ns) const {
    const SentSegment& segment = late.segment;
    const SentSegment& after = revealed_by.segment;
    if (segment.sent != Sent::unclassified) return segment.sent != Sent::again;
    if (arrivals_.ip_id_is_sure()) return ArrivalPattern::ip_id_distance(after.ip_id, segment.ip_id) < 0;
    if (segment.has_timestamp && after.has_timestamp && segment.timestamp != after.timestamp) {
        return Serial32(segment.timestamp).before(Serial32(after.timestamp));
    }
    return late.arrival_ns - revealed_by.arrival_ns < round_trip_ns;
}

bool RemoteSegments::was_given_up(const PendingSegment& late, int64_t round_trip_ns) const {
    const size_t count = std::min(given_up_count_, given_up_.size());
    for (size_t i = 0; i < count; ++i) {
        const Hole& hole = given_up_[i];
        const bool inside = !late.segment.seq.before(hole.begin) && !end_of(late.segment).after(hole.end);
        if (inside && is_original_of(late, hole.revealed_by, round_trip_ns)) return true;
    }
    return false;
}

int64_t RemoteSegments::segments_of_write() const {
    SegmentIndex i = ring_.first();
    if (ring_[i].kind != Kind::original) return 1;
    int64_t count = 1;
    while (++i != ring_.end() && ring_[i].continues_write) ++count;
    return count;
}

bool RemoteSegments::head_ready(int64_t now_ns, int64_t round_trip_ns, bool finishing) const {
    const PendingSegment& pending = ring_.front();
    const bool full = ring_.size() >= max_remote_pending;
    if (lone_waits_ && lone_ == ring_.first() && !finishing && !full)
        return now_ns - pending.arrival_ns > 2 * round_trip_ns + least_timeout_ns / 2;
    if (pending.kind == Kind::original && !pending.continues_write && !finishing) {
        // The rest of a write comes with it.
        const PendingSegment& last = ring_.back();
        const bool open_ended =
            (last.segment.flags & (tcp_psh | tcp_fin)) == 0 && (&last == &pending || last.continues_write);
        if (open_ended && now_ns - last.arrival_ns <= round_trip_ns && !full &&
            ring_.size() <= segments_of_write_most) {
            return last_break_ > ring_.first();
        }
    }
    if (pending.kind != Kind::missing || pending.known_lost || finishing) return true;
    return now_ns - pending.arrival_ns > std::max(round_trip_ns, least_hold_ns) || full;
}

SentSegment& RemoteSegments::take_piece() {
    leave_lone();
    PendingSegment& hole = ring_.front();
    if (!hole.known_lost) keep_given_up(hole);
    hole.known_lost = true;
    piece_out_ = hole.segment;
    piece_out_.length = std::min(hole.piece, hole.segment.length);
    hole.segment.seq += piece_out_.length;
    hole.segment.length -= piece_out_.length;
    if (hole.segment.length == 0) {
        ring_.pop_front();
        --holes_;
    }
    return piece_out_;
}

void RemoteSegments::keep_given_up(const PendingSegment& hole) {
    Hole& kept = given_up_[given_up_count_++ % given_up_.size()];
    kept.begin = hole.segment.seq;
    kept.end = hole.segment.seq + hole.segment.length;
    kept.revealed_by = hole;
}

}  // namespace sanscope
