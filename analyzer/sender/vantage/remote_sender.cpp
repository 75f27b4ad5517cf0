// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/vantage/remote_sender.h"

#include <algorithm>

#include "analyzer/net/decoded_packet.h"

namespace sanscope {
namespace {

constexpr uint32_t least_mss = 48;
// No moment beyond enters the arithmetic.
constexpr int64_t sane_ns = int64_t{1} << 61;

SenderOptions with_mss(SenderOptions options) {
    options.mss = options.mss == 0 ? 1448 : std::max(options.mss, least_mss);
    return options;
}

}  // namespace

RemoteSender::RemoteSender(const SenderOptions& options, int64_t round_trip_ns)
    : options_(with_mss(options)),
      round_trip_(round_trip_ns),
      segments_(options_.mss),
      echoes_(options_.mss),
      placement_(options_, acks_, echoes_, round_trip_, clock_) {}

int64_t RemoteSender::pass_to(int64_t time_ns) {
    return now_ns_ = std::max(now_ns_, std::clamp(time_ns, -sane_ns, sane_ns));
}

void RemoteSender::on_new_segment() {
    const SentSegment& segment = segments_.newest();
    pass_to(segment.time_ns);
    if (segment.has_timestamp) clock_.on_arrival(segment.timestamp, now_ns_);
    segments_.on_new(now_ns_, round_trip_.ns());
    if (segments_.take_head_changed()) placement_.forget();
}

void RemoteSender::on_new_ack() {
    acks_.on_new(pass_to(acks_.newest().time_ns));
}

bool RemoteSender::next(Event& event, int64_t room) {
    while (!segments_.empty()) {
        if (!placement_.placed()) {
            if (!segments_.head_ready(now_ns_, round_trip_.ns(), finishing_)) break;
            placement_.place(segments_, room != unknown_room);
        }
        if (!acks_.empty() && acks_.first() < placement_.acks_before()) {
            placement_.note_room(room);
            give_ack(event);
            return true;
        }
        if (placement_.undecided() && !placement_.wait_for_room(room)) continue;
        if (give_segment(event)) return true;
    }
    if (acks_can_wait()) return false;
    give_ack(event);
    return true;
}

void RemoteSender::give_ack(Event& event) {
    const Serial32 acknowledged = acks_.any_given() ? acks_.last_given().highest : acks_.front().upto.highest;
    if (any_sent_given_) placement_.note_flight(acknowledged.distance_to(given_end_));
    PendingAck& given = acks_.give();
    echoes_.on_ack_given(given.upto.timestamp);
    given.ack.time_ns = at_sender(given.left_ns);
    event = {nullptr, &given.ack};
}

// The head, or a piece of it if it is a hole; false if it is none to be given.
bool RemoteSender::give_segment(Event& event) {
    placement_.forget();
    const PendingSegment& head = segments_.head();
    const bool again = head.kind == PendingSegment::Kind::retransmission;
    SentSegment* given = nullptr;
    if (head.kind == PendingSegment::Kind::missing) {
        given = &segments_.take_piece();
        const Serial32 end = given->seq + given->length;
        given_end_ = any_sent_given_ ? later(given_end_, end) : end;
    } else {
        const bool is_event = head.kind != PendingSegment::Kind::evidence;
        given = &segments_.pop_head();
        echoes_.on_segment_given(*given, is_event, acks_.last_given().highest);
        given_end_ = any_sent_given_ ? later(given_end_, end_of(*given)) : end_of(*given);
        any_sent_given_ = true;
        if (!is_event) return false;
    }
    // By their times RACK knows which of two was sent later.
    if (again != last_was_again_) last_out_ns_ += 1000;
    last_was_again_ = again;
    given->time_ns = at_sender(placement_.sent_at_ns());
    event = {given, nullptr};
    if (echoes_.receives_beyond_hole() && acks_.any_given())
        event.flight_at_most = std::max(0, echoes_.processed_before_hole().distance_to(given_end_));
    return true;
}

int64_t RemoteSender::at_sender(int64_t tap_ns) {
    if (tap_ns != no_time) last_out_ns_ = std::max(last_out_ns_, tap_ns + round_trip_.ns() / 2);
    return last_out_ns_;
}

}  // namespace sanscope
