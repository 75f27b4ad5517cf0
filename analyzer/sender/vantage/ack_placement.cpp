// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/vantage/ack_placement.h"

#include <algorithm>

#include "analyzer/net/decoded_packet.h"

namespace sanscope {
namespace {

using Kind = PendingSegment::Kind;

// Hosts and paths add so much to the least delay now and then.
constexpr int64_t jitter_ns = 15'000;
// Within so much before its own time, what was in flight shows better than the time which acknowledgement released a
// segment.
constexpr int64_t release_ns = 120'000;
// The sender's clock is known no better than this.
constexpr int64_t clock_slack_ns = 100'000;
// A segment may go so much later than an acknowledgement that is given after it.
constexpr int64_t order_slack_ns = 1'000'000;
// A window that was not seen in flight yet may be so large, in segments.
constexpr int64_t unseen_window_segments = 64;
// With so much more room in the window, in segments, it was not that which a segment waited for.
constexpr int64_t room_to_spare = 8;

}  // namespace

void AckPlacement::place(const RemoteSegments& segments, bool room_known) {
    const PendingSegment& pending = segments.head();
    const RemoteAcks& acks = *acks_;
    placed_ = true;
    undecided_ = false;
    acks_before_ = acks.first();
    const SentSegment& segment = pending.segment;
    if (pending.continues_write) return;
    // None comes before the SYN, whatever its timestamps say: over a path of less than a tick the acknowledgement of it has the
    // timestamp that it echoes.
    if ((segment.flags & tcp_syn) != 0) {
        earliest_ns_ = pending.arrival_ns - round_trip_->ns();
        return settle_time();
    }
    AckRange range = echoes_->processed_before(segment, acks);
    const bool answers = !segment.unseen && range.least > acks.first();
    const int64_t answered_ns = answers ? acks[range.least - 1].left_ns : no_time;
    if (answers) round_trip_->on_answer(pending.arrival_ns - answered_ns);
    const int32_t length = segment.seq.distance_to(end_of_next(pending));
    const int64_t latest_ns =
        pending.arrival_ns - round_trip_->ns() - static_cast<int64_t>(segments.byte_time_ns() * length);
    int64_t from_ns = no_time;
    int64_t to_ns = latest_ns;
    if (segment.has_timestamp) {
        if (!segment.unseen) {
            if (answers) clock_->sent_after(segment.timestamp, answered_ns);
            if (range.most != acks.end()) clock_->sent_before(segment.timestamp, acks[range.most].left_ns);
            clock_->sent_before(segment.timestamp, latest_ns);
            from_ns = std::min(clock_->not_before(segment.timestamp), latest_ns);
        }
        const int64_t before_ns = clock_->before(segment.timestamp);
        if (before_ns != no_time) to_ns = std::min(to_ns, before_ns);
    }
    // A pause that the sender's clock bears out was the sender's own, so the arrival gives the time.
    const bool timed = pending.spaced && latest_ns <= to_ns + clock_slack_ns;
    const AckIndex in_time = acks.first_after(from_ns);
    range.least = std::max(range.least, range.most_is_firm ? std::min(in_time, range.most) : in_time);
    range.most = std::max(range.least, std::min(range.most, acks.first_after(to_ns + jitter_ns)));
    const AckIndex most_by_arrival = acks.first_after(latest_ns + jitter_ns);
    if (impossible(pending, range.most, most_by_arrival)) {
        echoes_->disbelieve();
        *clock_ = {};
        flight_limit_ = most_flight_;
        range = {acks.first(), most_by_arrival};
    }
    if (timed && pending.kind == Kind::original) {
        range.least = std::clamp(acks.first_after(latest_ns - release_ns), range.least, range.most);
    }

    // What left the tap longest_way_ns() before a segment arrived, its sender had heard. If that is all that is known,
    // it came over an empty path.
    const int64_t longest_way_ns = round_trip_->longest_way_ns();
    const bool long_silent = pending.silence_ns > longest_way_ns;
    const int64_t longest_ago_ns = long_silent ? latest_ns - jitter_ns : pending.arrival_ns - longest_way_ns;
    range.least = std::max(range.least, acks.first_after(longest_ago_ns - order_slack_ns));
    range.most = std::max(range.least, range.most);

    earliest_ns_ = std::max(timed ? std::max(from_ns, to_ns) : from_ns, longest_ago_ns);
    // Without timestamps the bounds are so wide that any window would do.
    const bool waits = pending.kind == Kind::original || pending.kind == Kind::missing;
    if (room_known && waits && segment.has_timestamp) {
        undecided_ = true;
        waited_ = false;
        room_before_ = 0;
        by_arrival_ = segment.has_timestamp && to_ns == latest_ns && pending.kind == Kind::original;
        needed_ = segments.segments_of_write();
        acks_before_ = range.least;
        range_ = range;
        return;
    }
    acks_before_ = pending.kind == Kind::evidence         ? range.least
                   : pending.kind == Kind::retransmission ? place_by_request(pending, range)
                                                          : place_by_flight(pending, range);
    settle_time();
}

bool AckPlacement::wait_for_room(int64_t room) {
    const int64_t left = room - withheld_;
    if (left < needed_ && acks_->first() < range_.most) {
        acks_before_ = acks_->first() + 1;
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
    return acks_->first() >= acks_before_;
}

void AckPlacement::settle_time() {
    if (acks_before_ > acks_->first()) {
        sent_at_ns_ = std::max(sent_at_ns_, (*acks_)[acks_before_ - 1].left_ns);
    }
    sent_at_ns_ = std::max(sent_at_ns_, earliest_ns_);
    // Where they are far apart, the order is surer than the time.
    if (acks_before_ < acks_->end())
        sent_at_ns_ = std::min(sent_at_ns_, (*acks_)[acks_before_].left_ns + order_slack_ns);
}

// No acknowledgement beyond `most` was processed, though some that reached the sender by then made room, and yet it has
// sent more than any window could have grown to: a window at most doubles in a flight (RFC 5681 §3.1).
bool AckPlacement::impossible(const PendingSegment& pending, AckIndex most, AckIndex most_by_arrival) const {
    if (pending.kind != Kind::original || !acks_->any_given() || most >= most_by_arrival) return false;
    const Serial32 end = end_of_next(pending);
    const int64_t largest = 2 * most_flight_ + unseen_window_segments * options_.mss;
    const int64_t said = acks_->flight(most, end);
    return said > largest && acks_->flight(most_by_arrival, end) < said;
}

// The first acknowledgement within the range that made room for the segment under the flight seen so far.
AckIndex AckPlacement::place_by_flight(const PendingSegment& pending, AckRange range) {
    const Serial32 end = end_of_next(pending);
    AckIndex processed = range.least;
    while (processed < range.most && acks_->flight(processed, end) > flight_limit_) ++processed;
    const int64_t least = acks_->flight(range.most, end);
    flight_limit_ = std::clamp(flight_limit_, least, std::max(least, acks_->flight(range.least, end)));
    return processed;
}

// The acknowledgement within the range that showed the loss.
AckIndex AckPlacement::place_by_request(const PendingSegment& pending, AckRange range) const {
    const AckIndex asking = options_.sack ? acks_->asked_by_sack(end_of(pending.segment), options_.mss)
                                          : acks_->asked_by_duplicates(pending.segment.seq);
    return asking >= range.least && asking < range.most ? asking + 1 : range.least;
}

}  // namespace sanscope
