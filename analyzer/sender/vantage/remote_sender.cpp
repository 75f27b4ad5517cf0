// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/vantage/remote_sender.h"

#include <algorithm>
#include <utility>

#include "analyzer/net/decoded_packet.h"

namespace sanscope {

namespace {

// Hosts and paths add so much to the least delay now and then.
constexpr int64_t jitter_ns = 15'000;
// Within so much before its own time, what was in flight shows better than the time which acknowledgement released a
// segment.
constexpr int64_t release_ns = 120'000;
// The sender's clock is known no better than this.
constexpr int64_t clock_slack_ns = 100'000;
// A segment that came with so much more than its own length's time to the one before did not queue.
constexpr double pause_ns = 20'000;
// A segment may go so much later than an acknowledgement that is given after it.
constexpr int64_t order_slack_ns = 1'000'000;
constexpr int32_t largest_gap_bytes = 1 << 20;
// The greatest write of segmentation offload.
constexpr uint32_t longest_write = 65'536;
constexpr size_t segments_of_write_most = 64;
// A hole of more bytes is no loss but a capture that was not looking; one of more segments is given in larger pieces.
constexpr int32_t largest_hole = 1 << 26;
constexpr uint32_t most_hole_segments = 1024;
constexpr uint32_t least_mss = 48;
constexpr uint32_t bulk_segments = 8;
// No retransmission timeout is shorter (TCP_RTO_MIN).
constexpr int64_t least_timeout_ns = 200'000'000;
// A hole is held open for a round trip, and at least this.
constexpr int64_t least_hold_ns = 1'000'000;
// No longer gap enters the arithmetic, and no moment beyond.
constexpr int64_t longest_gap_ns = 1'000'000'000;
constexpr int64_t sane_ns = int64_t{1} << 61;
// An echo older than so many acknowledgements that came since is none.
constexpr uint32_t most_unechoed_acks = 64;
// A window that was not seen in flight yet may be so large, in segments.
constexpr int64_t unseen_window_segments = 64;
constexpr uint32_t enough_byte_times = 8;
// With so much more room in the window, in segments, it was not that which a segment waited for.
constexpr int64_t room_to_spare = 8;
constexpr int ip_id_believed = 16;
constexpr int ip_id_most_credit = 64;
constexpr int ip_id_penalty = 8;

uint32_t sequence_length(const SentSegment& segment) {
    return segment.length + ((segment.flags & tcp_syn) != 0 ? 1 : 0) +
           ((segment.flags & tcp_fin) != 0 ? 1 : 0);
}

Serial32 end_of(const SentSegment& segment) {
    return segment.seq + sequence_length(segment);
}

int32_t ip_id_distance(uint16_t from, uint16_t to) {
    return static_cast<int16_t>(static_cast<uint16_t>(to - from));
}

Serial32 later(Serial32 a, Serial32 b) {
    return a.before(b) ? b : a;
}

}  // namespace

RemoteSender::RemoteSender(const SenderOptions& options, int64_t round_trip_ns) : options_(options) {
    options_.mss = options_.mss == 0 ? 1448 : std::max(options_.mss, least_mss);
    if (round_trip_ns >= 0 && round_trip_ns <= longest_round_trip_ns) {
        round_trip_ns_ = round_trip_ns;
        round_trip_known_ = true;
    }
}

void RemoteSender::on_new_segment() {
    PendingSegment& pending = segments_.back();
    const SentSegment& segment = pending.segment;
    now_ns_ = std::max(now_ns_, std::clamp(segment.time_ns, -sane_ns, sane_ns));
    if (segment.has_timestamp) clock_.on_arrival(segment.timestamp, now_ns_);
    pending.arrival_ns = now_ns_;
    pending.kind = Kind::original;
    pending.spaced = false;
    pending.continues_write = false;
    pending.known_lost = false;
    pending.silence_ns = any_arrival_ ? now_ns_ - last_arrival_ns_ : 0;
    pending.piece = 0;
    if (segment.keeps_alive) {
        note_ip_id(segment.ip_id);
        pending.kind = Kind::retransmission;
        last_break_ = segments_.end() - 1;
        return;
    }
    if (sequence_length(segment) == 0) {
        note_ip_id(segment.ip_id);
        pending.kind = Kind::evidence;
        // Its sequence number is SND.NXT (RFC 9293 §3.10.7.4): what it passes over was sent before it.
        const bool in_state = (segment.flags & tcp_ack) != 0 && (segment.flags & tcp_rst) == 0;
        if (in_state && any_sequence_ && sequence_end_.before(segment.seq)) {
            const Serial32 next = segment.seq;
            add_hole(next);
            sequence_end_ = next;
        }
        last_break_ = segments_.end() - 1;
        return;
    }
    const bool after_silence =
        any_arrival_ && now_ns_ - last_arrival_ns_ >= std::max(least_timeout_ns, round_trip_ns_);
    const int32_t ip_id_step = ip_id_distance(last_arrived_.ip_id, segment.ip_id);
    note_arrival(pending);
    if (!any_sequence_) sequence_end_ = segment.seq;
    any_sequence_ = true;
    const Serial32 end = end_of(segment);
    if (lone_waits_) settle_lone();
    if (after_silence && segment.seq == sequence_end_) {
        lone_waits_ = true;
        lone_ = segments_.end() - 1;
        lone_ip_id_step_ = ip_id_step;
    }
    if (sequence_end_.before(segment.seq)) {
        add_hole(segment.seq);
    } else if (segment.seq.before(sequence_end_) && take_repeated()) {
        return;
    }
    sequence_end_ = later(sequence_end_, end);
    if (!segments_.back().continues_write) last_break_ = segments_.end() - 1;
}

// A segment came alone after a silence. If what came next, a round trip later, leaves a hole behind it, it was not new:
// the flight that it began was lost whole before the tap, and sent again after a timeout, new data after the first of
// it (F-RTO, RFC 5682). That the hole was sent before the lone segment, rather than lost by the sniffer behind it, the
// IP identification alone can show: it steps over as many packets before that one, and not after it.
void RemoteSender::settle_lone() {
    lone_waits_ = false;
    const PendingSegment& next = segments_.back();
    PendingSegment& lone = segments_[lone_];
    const bool hole_behind = sequence_end_ == end_of(lone.segment) && sequence_end_.before(next.segment.seq);
    if (!hole_behind || next.arrival_ns - lone.arrival_ns < round_trip_ns_ / 10 * 9) return;
    const int32_t length = lone.segment.seq.distance_to(next.segment.seq);
    if (length > largest_hole) return;
    const int32_t behind = end_of(lone.segment).distance_to(next.segment.seq);
    const int32_t missing = (behind - 1) / static_cast<int32_t>(options_.mss) + 1;
    const bool sent_before = ip_id_credit_ > 0 && lone_ip_id_step_ > missing &&
                             ip_id_distance(lone.segment.ip_id, next.segment.ip_id) <= missing;
    if (!sent_before) return;
    lone.kind = Kind::retransmission;
    lone.segment.sent = Sent::again;
    PendingSegment lost = lone;
    make_hole(lost, lone.segment.seq, static_cast<uint32_t>(length));
    lost.known_lost = true;
    sequence_end_ = next.segment.seq;
    segments_.insert(lone_, lost);
    ++holes_;
    ++last_break_;
    head_placed_ = false;
}

// The segment that just came repeats bytes: it is a retransmission, unless a hole was its own, that it fills or could
// have filled. True: then it is gone.
bool RemoteSender::take_repeated() {
    const PendingSegment repeated = segments_.back();
    segments_.pop_back();
    if (fill_hole(repeated)) return true;
    if (repeated.segment.sent == Sent::unclassified && was_given_up(repeated)) return true;
    segments_.push_back(repeated);
    segments_.back().kind = Kind::retransmission;
    return false;
}

// How it follows the segment that arrived before.
void RemoteSender::note_arrival(PendingSegment& pending) {
    const SentSegment& segment = pending.segment;
    if (any_arrival_) {
        note_ip_id(segment.ip_id);
        const double gap_ns =
            static_cast<double>(std::min(pending.arrival_ns - last_arrival_ns_, longest_gap_ns));
        const bool continues = last_arrived_.end == segment.seq && !last_arrived_.pushed &&
                               last_arrived_.timestamp == segment.timestamp &&
                               last_arrived_.timestamp_echo == segment.timestamp_echo &&
                               last_arrived_.ack == segment.ack &&
                               write_length_ + segment.length <= longest_write;
        if (segment.length >= options_.mss / 2) note_byte_time(gap_ns / segment.length, continues);
        // What was lost before the tap took its time on the link.
        const int32_t passed = last_arrived_.end.distance_to(end_of(segment));
        const double bytes =
            std::clamp<int32_t>(passed, static_cast<int32_t>(segment.length), largest_gap_bytes);
        pending.spaced = gap_ns > 1.5 * byte_time_ns_ * bytes + pause_ns;
        pending.continues_write = continues && !pending.spaced;
    } else {
        pending.spaced = true;
        note_ip_id(segment.ip_id);
    }
    write_length_ = pending.continues_write ? write_length_ + segment.length : segment.length;
    any_arrival_ = true;
    last_arrived_.end = end_of(segment);
    last_arrived_.ack = segment.ack;
    last_arrived_.timestamp = segment.timestamp;
    last_arrived_.timestamp_echo = segment.timestamp_echo;
    last_arrived_.ip_id = segment.ip_id;
    last_arrived_.pushed = (segment.flags & tcp_psh) != 0;
    last_arrival_ns_ = pending.arrival_ns;
}

// A byte's time on the slowest link. Segments of one write follow each other as closely as that lets them: the median.
// Where there are none, the quicker third of all.
void RemoteSender::note_byte_time(double byte_ns, bool same_write) {
    if (!same_write && write_seen_) return;
    const bool begins = measured_byte_ns_ == 0 || (same_write && !write_seen_);
    const bool far_off = !same_write && byte_ns < measured_byte_ns_ / 4;
    write_seen_ = same_write;
    const auto step_from = [](double measured_ns) { return std::max(measured_ns / 50, 0.002); };
    if (begins || far_off) {
        measured_byte_ns_ = byte_ns;
        byte_step_ns_ = step_from(byte_ns);
    }
    const double step_ns = byte_step_ns_;
    measured_byte_ns_ += byte_ns > measured_byte_ns_ ? step_ns : same_write ? -step_ns : -2 * step_ns;
    measured_byte_ns_ = std::max(measured_byte_ns_, 0.001);
    byte_step_ns_ = step_from(measured_byte_ns_);  // now, when nothing waits for the division
    if (++byte_times_ >= enough_byte_times) byte_time_ns_ = measured_byte_ns_;
}

void RemoteSender::note_ip_id(uint16_t ip_id) {
    const int32_t step = ip_id_distance(last_arrived_.ip_id, ip_id);
    const bool counts_up = step > 0 && step < 64;
    ip_id_credit_ = counts_up ? std::min(ip_id_credit_ + 1, ip_id_most_credit)
                              : std::max(ip_id_credit_ - ip_id_penalty, -ip_id_most_credit);
    last_arrived_.ip_id = ip_id;
}

// The sender's sequence has a hole from where it ended up to there, as the segment that just came reveals.
void RemoteSender::add_hole(Serial32 end) {
    const int32_t length = sequence_end_.distance_to(end);
    if (length <= 0 || length > largest_hole) return;
    PendingSegment hole = segments_.back();
    make_hole(hole, sequence_end_, static_cast<uint32_t>(length));
    segments_.insert(segments_.end() - 1, hole);
    ++holes_;
}

void RemoteSender::make_hole(PendingSegment& hole, Serial32 begin, uint32_t length) const {
    hole.kind = Kind::missing;
    hole.spaced = false;
    hole.continues_write = false;
    hole.segment.seq = begin;
    hole.segment.length = length;
    hole.segment.flags = static_cast<uint16_t>(hole.segment.flags & ~(tcp_syn | tcp_fin | tcp_psh));
    hole.segment.unseen = true;
    hole.piece = std::max(options_.mss, length / most_hole_segments + 1);
}

// Finds the hole that this segment lies in and takes it there if it is the hole's own; else the hole is known for a
// loss. True: taken.
bool RemoteSender::fill_hole(const PendingSegment& late) {
    if (holes_ == 0) return false;
    const Serial32 begin = late.segment.seq;
    const Serial32 end = end_of(late.segment);
    for (SegmentIndex i = segments_.first(); i != segments_.end(); ++i) {
        PendingSegment& hole = segments_[i];
        if (hole.kind != Kind::missing) continue;
        const Serial32 hole_begin = hole.segment.seq;
        const Serial32 hole_end = hole_begin + hole.segment.length;
        if (!begin.before(hole_end) || !hole_begin.before(end)) continue;
        if (!is_original_of(late, hole)) {
            hole.known_lost = true;
            continue;
        }
        PendingSegment rest = hole;
        hole = late;
        if (hole.segment.sent == Sent::unclassified) {
            hole.segment.overtaken = true;
            hole.segment.overtaken_ns = late.arrival_ns - rest.arrival_ns;
        }
        --holes_;
        hole.kind = Kind::original;
        hole.spaced = false;
        hole.continues_write = false;
        if (i == segments_.first()) head_placed_ = false;
        if (end.before(hole_end)) {
            rest.segment.seq = end;
            rest.segment.length = static_cast<uint32_t>(end.distance_to(hole_end));
            segments_.insert(i + 1, rest);
            last_break_ = std::max(last_break_ + 1, i + 1);
            ++holes_;
        }
        if (hole_begin.before(begin)) {
            rest.segment.seq = hole_begin;
            rest.segment.length = static_cast<uint32_t>(hole_begin.distance_to(begin));
            segments_.insert(i, rest);
            last_break_ = std::max(last_break_ + 1, i);
            ++holes_;
        }
        return true;
    }
    return false;
}

bool RemoteSender::is_original_of(const PendingSegment& late, const PendingSegment& revealed_by) const {
    const SentSegment& segment = late.segment;
    const SentSegment& after = revealed_by.segment;
    if (segment.sent != Sent::unclassified) return segment.sent != Sent::again;
    if (ip_id_credit_ >= ip_id_believed) return ip_id_distance(after.ip_id, segment.ip_id) < 0;
    if (segment.has_timestamp && after.has_timestamp && segment.timestamp != after.timestamp) {
        return Serial32(segment.timestamp).before(Serial32(after.timestamp));
    }
    return late.arrival_ns - revealed_by.arrival_ns < round_trip_ns_;
}

bool RemoteSender::was_given_up(const PendingSegment& late) const {
    const size_t count = std::min(given_up_count_, given_up_.size());
    for (size_t i = 0; i < count; ++i) {
        const Hole& hole = given_up_[i];
        const bool inside = !late.segment.seq.before(hole.begin) && !end_of(late.segment).after(hole.end);
        if (inside && is_original_of(late, hole.revealed_by)) return true;
    }
    return false;
}

void RemoteSender::on_new_ack() {
    const Acknowledged before = acks_.size() == 1 ? last_ack_given_ : acks_[acks_.end() - 2].upto;
    PendingAck& pending = acks_.back();
    const ReceivedAck& ack = pending.ack;
    now_ns_ = std::max(now_ns_, std::clamp(ack.time_ns, -sane_ns, sane_ns));
    pending.left_ns = now_ns_;
    const Serial32 data_end = ack.seq + ack.payload_length;
    pending.brings_data = ack.payload_length > 0 && (!any_ack_ || before.data_end.before(data_end));
    pending.first_of_tick = !any_ack_ || before.timestamp != ack.timestamp;
    Acknowledged& upto = pending.upto;
    upto.last = ack.ack;
    upto.timestamp = ack.timestamp;
    upto.data_end = any_ack_ ? later(before.data_end, data_end) : data_end;
    upto.highest = any_ack_ ? later(before.highest, ack.ack) : ack.ack;
    upto.sacked_end = any_ack_ ? later(before.sacked_end, upto.highest) : upto.highest;
    for (size_t i = 0; i < std::min<size_t>(ack.sack_blocks, ack.sack.size()); ++i) {
        upto.sacked_end = later(upto.sacked_end, ack.sack[i].end);
    }
    const Serial32 window_end = ack.ack + ack.window;
    upto.window_end = any_ack_ ? later(before.window_end, window_end) : window_end;
    const bool duplicate = any_ack_ && ack.payload_length == 0 && before.last == ack.ack;
    upto.duplicates = duplicate ? before.duplicates + 1 : 0;
    any_ack_ = true;
}

bool RemoteSender::next(Event& event, int64_t room) {
    while (!segments_.empty()) {
        const PendingSegment& head = segments_.front();
        if (!head_placed_) {
            if (!ready(head)) break;
            place(head, room != unknown_room);
        }
        if (!acks_.empty() && acks_.first() < acks_before_) {
            room_before_ = room;
            give_ack(event);
            return true;
        }
        if (undecided_ && !wait_for_room(room)) continue;
        if (give_segment(event)) return true;
    }
    if (acks_can_wait()) return false;
    give_ack(event);
    return true;
}

// All that the head surely answers has been given. If the window has no room for it, it waited for one that made some;
// if there is room to spare, it waited for something else. True: it is sent now.
bool RemoteSender::wait_for_room(int64_t room) {
    const int64_t left = room - withheld_;
    if (left < needed_ && acks_.first() < range_.most) {
        acks_before_ = acks_.first() + 1;
        waited_ = true;
        return false;
    }
    undecided_ = false;
    if (room > room_to_spare) {
        if (!waited_ && by_arrival_) acks_before_ = range_.most;
    } else if (left < needed_) {
        withheld_ = std::max<int64_t>(0, room - needed_);
    } else if (!waited_ && room_before_ - withheld_ >= needed_) {
        // It did not use the room that there was before the last acknowledgement.
        withheld_ = room_before_ - needed_ + 1;
    }
    settle_time();
    return acks_.first() >= acks_before_;
}

void RemoteSender::settle_time() {
    if (acks_before_ > acks_.first()) {
        sent_at_ns_ = std::max(sent_at_ns_, acks_[acks_before_ - 1].left_ns);
    }
    sent_at_ns_ = std::max(sent_at_ns_, earliest_ns_);
    // Where they are far apart, the order is surer than the time.
    if (acks_before_ < acks_.end())
        sent_at_ns_ = std::min(sent_at_ns_, acks_[acks_before_].left_ns + order_slack_ns);
}

// How many segments of the write that the head begins are here.
int64_t RemoteSender::segments_of_write() const {
    SegmentIndex i = segments_.first();
    if (segments_[i].kind != Kind::original) return 1;
    int64_t count = 1;
    while (++i != segments_.end() && segments_[i].continues_write) ++count;
    return count;
}

bool RemoteSender::ready(const PendingSegment& pending) const {
    if (lone_waits_ && lone_ == segments_.first() && !finishing_ && segments_.size() < max_pending)
        return now_ns_ - pending.arrival_ns > 2 * round_trip_ns_ + least_timeout_ns / 2;
    if (pending.kind == Kind::original && !pending.continues_write && !finishing_) {
        // The rest of a write comes with it.
        const PendingSegment& last = segments_[segments_.end() - 1];
        const bool open_ended =
            (last.segment.flags & (tcp_psh | tcp_fin)) == 0 && (&last == &pending || last.continues_write);
        if (open_ended && now_ns_ - last.arrival_ns <= round_trip_ns_ && segments_.size() < max_pending &&
            segments_.size() <= segments_of_write_most) {
            return last_break_ > segments_.first();
        }
    }
    if (pending.kind != Kind::missing || pending.known_lost || finishing_) return true;
    return now_ns_ - pending.arrival_ns > std::max(round_trip_ns_, least_hold_ns) ||
           segments_.size() >= max_pending;
}

// Which acknowledgements go before it, and when it was sent.
void RemoteSender::place(const PendingSegment& pending, bool room_known) {
    head_placed_ = true;
    undecided_ = false;
    acks_before_ = acks_.first();
    const SentSegment& segment = pending.segment;
    if (pending.continues_write) return;
    AckRange range = processed_by_content(segment);
    const bool answers = !segment.unseen && range.least > acks_.first();
    const int64_t answered_ns = answers ? acks_[range.least - 1].left_ns : no_time;
    if (answers) note_round_trip(pending.arrival_ns - answered_ns);
    const int32_t length = segment.seq.distance_to(end_of_next(pending));
    const int64_t latest_ns =
        pending.arrival_ns - round_trip_ns_ - static_cast<int64_t>(byte_time_ns_ * length);
    int64_t from_ns = no_time;
    int64_t to_ns = latest_ns;
    if (segment.has_timestamp) {
        if (!segment.unseen) {
            if (answers) clock_.sent_after(segment.timestamp, answered_ns);
            if (range.most != acks_.end()) clock_.sent_before(segment.timestamp, acks_[range.most].left_ns);
            clock_.sent_before(segment.timestamp, latest_ns);
            from_ns = std::min(clock_.not_before(segment.timestamp), latest_ns);
        }
        const int64_t before_ns = clock_.before(segment.timestamp);
        if (before_ns != no_time) to_ns = std::min(to_ns, before_ns);
    }
    // A pause that the sender's clock bears out was the sender's own, so the arrival gives the time.
    const bool timed = pending.spaced && latest_ns <= to_ns + clock_slack_ns;
    const AckIndex in_time = first_after(from_ns);
    range.least = std::max(range.least, range.most_is_firm ? std::min(in_time, range.most) : in_time);
    range.most = std::max(range.least, std::min(range.most, first_after(to_ns + jitter_ns)));
    const AckIndex most_by_arrival = first_after(latest_ns + jitter_ns);
    if (impossible(pending, range.most, most_by_arrival)) {
        unechoed_acks_ = most_unechoed_acks;
        clock_ = {};
        flight_limit_ = most_flight_;
        range = {acks_.first(), most_by_arrival};
    }
    if (timed && pending.kind == Kind::original) {
        range.least = std::clamp(first_after(latest_ns - release_ns), range.least, range.most);
    }

    // What left the tap longest_way_ns() before a segment arrived, its sender had heard. If that is all that is known,
    // it came over an empty path.
    const bool long_silent = pending.silence_ns > longest_way_ns();
    const int64_t longest_ago_ns =
        long_silent ? latest_ns - jitter_ns : pending.arrival_ns - longest_way_ns();
    range.least = std::max(range.least, first_after(longest_ago_ns - order_slack_ns));
    range.most = std::max(range.least, range.most);

    earliest_ns_ = std::max(timed ? std::max(from_ns, to_ns) : from_ns, longest_ago_ns);
    // Without timestamps the bounds are so wide that any window would do.
    const bool waits = pending.kind == Kind::original || pending.kind == Kind::missing;
    if (room_known && waits && segment.has_timestamp) {
        undecided_ = true;
        waited_ = false;
        room_before_ = 0;
        by_arrival_ = segment.has_timestamp && to_ns == latest_ns && pending.kind == Kind::original;
        needed_ = segments_of_write();
        acks_before_ = range.least;
        range_ = range;
        return;
    }
    acks_before_ = pending.kind == Kind::evidence         ? range.least
                   : pending.kind == Kind::retransmission ? place_by_request(pending, range)
                                                          : place_by_flight(pending, range);
    settle_time();
}

// An answer is never sooner than the round trip. One alone may be false, where the tap missed what was answered.
void RemoteSender::note_round_trip(int64_t round_trip_ns) {
    if (round_trip_ns < least_answer_ns_) std::swap(round_trip_ns, least_answer_ns_);
    confirmed_answer_ns_ = std::min(confirmed_answer_ns_, round_trip_ns);
    const int64_t believed_ns = round_trip_known_ ? confirmed_answer_ns_ : least_answer_ns_;
    if (!round_trip_known_ || believed_ns < round_trip_ns_) round_trip_ns_ = believed_ns;
    round_trip_known_ = true;
}

// No acknowledgement beyond `most` was processed, though some that reached the sender by then made room, and yet it has
// sent more than any window could have grown to: a window at most doubles in a flight (RFC 5681 §3.1).
bool RemoteSender::impossible(const PendingSegment& pending, AckIndex most, AckIndex most_by_arrival) const {
    if (pending.kind != Kind::original || !any_ack_given_ || most >= most_by_arrival) return false;
    const Serial32 end = end_of_next(pending);
    const int64_t largest = 2 * most_flight_ + unseen_window_segments * options_.mss;
    const int64_t said = flight(most, end);
    return said > largest && flight(most_by_arrival, end) < said;
}

// What the segment itself says it answers.
RemoteSender::AckRange RemoteSender::processed_by_content(const SentSegment& segment) const {
    AckRange range{acks_.first(), acks_.end()};
    const bool old_echo =
        echo_is_old_ && segment.timestamp_echo == old_echo_ && segment.ack == sender_acknowledged_;
    // An echo that was old when the sender acknowledged data anew says nothing of what came with or after those data. A
    // time that contradicts another means an acknowledgement that was lost or, behind bulk data of the receiver's own,
    // still queued.
    const bool queueing =
        !acks_.empty() && acks_.front().upto.data_end.distance_to(acks_.back().upto.data_end) >
                              static_cast<int64_t>(bulk_segments) * options_.mss;
    const bool firm = !old_echo || queueing;
    const bool beyond_hole = receives_beyond_hole_ && segment.ack == sender_acknowledged_;
    const bool echoes = unechoed_acks_ < most_unechoed_acks || segment.timestamp_echo != old_echo_;
    if (segment.has_timestamp && echoes) {
        const Serial32 echo(segment.timestamp_echo);
        const AckIndex echoed =
            acks_.find_first([&](const PendingAck& a) { return !Serial32(a.ack.timestamp).before(echo); });
        AckIndex beyond = echoed;
        if (echoed != acks_.end() && Serial32(acks_[echoed].ack.timestamp) == echo) {
            if (acks_[echoed].first_of_tick && !segment.unseen) range.least = echoed + 1;
            beyond =
                acks_.find_first([&](const PendingAck& a) { return Serial32(a.ack.timestamp).after(echo); });
        }
        // What lies behind data that the sender had not acknowledged by then is not echoed.
        if (any_sent_given_ && !beyond_hole && firm && beyond != acks_.end() &&
            !acks_[beyond].ack.seq.after(sender_acknowledged_)) {
            range.most = beyond;
        }
    }
    const AckIndex bringer =
        acks_.find_first([&](const PendingAck& a) { return !a.upto.data_end.before(segment.ack); });
    if (bringer != acks_.end() && acks_[bringer].upto.data_end == segment.ack) {
        if (acks_[bringer].brings_data && !segment.unseen) range.least = std::max(range.least, bringer + 1);
    }
    const AckIndex opened = opened_window(segment);
    if (opened != acks_.end()) range.least = std::max(range.least, opened + 1);
    const AckIndex unknown_data =
        acks_.find_first([&](const PendingAck& a) { return a.upto.data_end.after(segment.ack); });
    if (!beyond_hole) range.most = std::min(range.most, unknown_data);
    range.most = std::max(range.most, range.least);
    range.most_is_firm = firm;
    return range;
}

// The acknowledgement without which the receiver's window had no room for it; the end if there is none.
RemoteSender::AckIndex RemoteSender::opened_window(const SentSegment& segment) const {
    const Serial32 end = segment.seq + segment.length;
    const bool probe = segment.length <= 1;
    if (probe || segment.unseen || !any_ack_given_ || !last_ack_given_.window_end.before(end))
        return acks_.end();
    const AckIndex opened =
        acks_.find_first([&](const PendingAck& a) { return !a.upto.window_end.before(end); });
    return opened != acks_.end() && acks_[opened].ack.scale_known ? opened : acks_.end();
}

// The first acknowledgement within the range that made room for the segment under the flight seen so far.
RemoteSender::AckIndex RemoteSender::place_by_flight(const PendingSegment& pending, AckRange range) {
    const Serial32 end = end_of_next(pending);
    AckIndex processed = range.least;
    while (processed < range.most && flight(processed, end) > flight_limit_) ++processed;
    const int64_t least = flight(range.most, end);
    flight_limit_ = std::clamp(flight_limit_, least, std::max(least, flight(range.least, end)));
    return processed;
}

// The acknowledgement within the range that showed the loss.
RemoteSender::AckIndex RemoteSender::place_by_request(const PendingSegment& pending, AckRange range) const {
    const Serial32 end = end_of(pending.segment);
    if (options_.sack) {
        const Serial32 enough = end + 3 * options_.mss;
        const AckIndex asking =
            acks_.find_first([&](const PendingAck& a) { return !a.upto.sacked_end.before(enough); });
        return asking >= range.least && asking < range.most ? asking + 1 : range.least;
    }
    const AckIndex asking = acks_.find_first([&](const PendingAck& a) {
        return a.upto.highest.after(pending.segment.seq) ||
               (a.upto.highest == pending.segment.seq && a.upto.duplicates >= 3);
    });
    const bool found =
        asking >= range.least && asking < range.most && acks_[asking].upto.highest == pending.segment.seq;
    return found ? asking + 1 : range.least;
}

// The first acknowledgement that the tap saw after that time.
RemoteSender::AckIndex RemoteSender::first_after(int64_t time_ns) const {
    return acks_.find_first([&](const PendingAck& a) { return a.left_ns > time_ns; });
}

// What is in flight once the sender has sent up to `end`, all acknowledgements before that one processed.
int64_t RemoteSender::flight(AckIndex processed, Serial32 end) const {
    const Acknowledged& last = processed > acks_.first() ? acks_[processed - 1].upto : last_ack_given_;
    return last.highest.distance_to(end);
}

// Where the next SentSegment to be given of it ends.
Serial32 RemoteSender::end_of_next(const PendingSegment& pending) {
    if (pending.kind != Kind::missing) return end_of(pending.segment);
    return pending.segment.seq + std::min(pending.piece, pending.segment.length);
}

void RemoteSender::give_ack(Event& event) {
    PendingAck& given = acks_.front();
    const Serial32 acknowledged = any_ack_given_ ? last_ack_given_.highest : given.upto.highest;
    if (any_sent_given_) most_flight_ = std::max<int64_t>(most_flight_, acknowledged.distance_to(given_end_));
    any_ack_given_ = true;
    last_ack_given_ = given.upto;
    if (Serial32(last_ack_given_.timestamp).after(Serial32(old_echo_))) {
        unechoed_acks_ = std::min(unechoed_acks_ + 1, most_unechoed_acks);
    }
    acks_.pop_front();
    given.ack.time_ns = at_sender(given.left_ns);
    event = {nullptr, &given.ack};
}

// The head, or a piece of it if it is a hole; false if it is none to be given.
bool RemoteSender::give_segment(Event& event) {
    head_placed_ = false;
    if (lone_ == segments_.first()) lone_waits_ = false;
    PendingSegment& head = segments_.front();
    SentSegment* given = &head.segment;
    const bool again = head.kind == Kind::retransmission;
    if (head.kind == Kind::missing) {
        given = &give_piece(head);
    } else {
        const bool is_event = head.kind != Kind::evidence;
        if ((head.segment.flags & tcp_ack) != 0) {
            const bool same = any_sent_given_ && head.segment.ack == sender_acknowledged_;
            const bool beyond_hole = same && (receives_beyond_hole_ || !is_event);
            if (beyond_hole && !receives_beyond_hole_) processed_before_hole_ = last_ack_given_.highest;
            receives_beyond_hole_ = beyond_hole;
            echo_is_old_ =
                any_sent_given_ && (!same || (echo_is_old_ && old_echo_ == head.segment.timestamp_echo));
            if (old_echo_ != head.segment.timestamp_echo) unechoed_acks_ = 0;
            old_echo_ = head.segment.timestamp_echo;
            sender_acknowledged_ = head.segment.ack;
        }
        given_end_ = any_sent_given_ ? later(given_end_, end_of(head.segment)) : end_of(head.segment);
        any_sent_given_ = true;
        segments_.pop_front();
        if (!is_event) return false;
    }
    // By their times RACK knows which of two was sent later.
    if (again != last_was_again_) last_out_ns_ += 1000;
    last_was_again_ = again;
    given->time_ns = at_sender(sent_at_ns_);
    event = {given, nullptr};
    if (receives_beyond_hole_ && any_ack_given_)
        event.flight_at_most = std::max(0, processed_before_hole_.distance_to(given_end_));
    return true;
}

// The next piece of the hole that is the head.
SentSegment& RemoteSender::give_piece(PendingSegment& hole) {
    if (!hole.known_lost) keep_given_up(hole);
    hole.known_lost = true;
    piece_out_ = hole.segment;
    piece_out_.length = std::min(hole.piece, hole.segment.length);
    given_end_ = later(given_end_, end_of_next(hole));
    hole.segment.seq += piece_out_.length;
    hole.segment.length -= piece_out_.length;
    if (hole.segment.length == 0) {
        segments_.pop_front();
        --holes_;
    }
    return piece_out_;
}

void RemoteSender::keep_given_up(const PendingSegment& hole) {
    Hole& kept = given_up_[given_up_count_++ % given_up_.size()];
    kept.begin = hole.segment.seq;
    kept.end = hole.segment.seq + hole.segment.length;
    kept.revealed_by = hole;
}

int64_t RemoteSender::at_sender(int64_t tap_ns) {
    if (tap_ns != no_time) last_out_ns_ = std::max(last_out_ns_, tap_ns + round_trip_ns_ / 2);
    return last_out_ns_;
}

}  // namespace sanscope
