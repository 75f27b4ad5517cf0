// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "analyzer/base/serial32.h"
#include "analyzer/sender/events/sender_events.h"
#include "analyzer/sender/vantage/ack_placement.h"
#include "analyzer/sender/vantage/echo_evidence.h"
#include "analyzer/sender/vantage/least_round_trip.h"
#include "analyzer/sender/vantage/remote_acks.h"
#include "analyzer/sender/vantage/remote_segments.h"
#include "analyzer/sender/vantage/sender_clock.h"

namespace sanscope {

// What a sender saw, from a capture taken at the receiver or between: its own segments in the order and at the time it
// sent them, among the acknowledgements in the order and at the time they reached it.
//
//     RemoteSender remote(options, finder.round_trip_ns(Side::b));     // side b sends, the tap is not at b
//     RemoteSender::Event event;
//     … remote.on_sent(segment) / remote.on_ack(ack), each followed by
//     while (remote.next(event)) event.sent ? replay.on_sent(*event.sent) : replay.on_ack(*event.ack);
//     … remote.finish(), and the same loop again.
//
// Every packet of the sender goes into on_sent, pure acknowledgements too: they are evidence, but no events. Every
// packet of the other side that has ACK set goes into on_ack. Both carry their time at the tap, and all other fields:
// a segment its acknowledgement and TSecr, an acknowledgement its sequence, payload length and TSval.
//
// Times: an acknowledgement reaches the sender half the least round trip from the tap to it after the tap saw it. How
// that round trip parts into there and back cannot be seen from here; but the order of events, which is what a replay
// needs, rests on the sum alone.
//
// Order: which acknowledgements a segment's sender had processed is narrowed down (AckPlacement), one after another, by
//   - the newest TSval among them, which the segment echoes (RFC 7323 §4.3: only acknowledgements at or before the
//     point acknowledged last are echoed), and the data among them, which it acknowledges;
//   - the tick of its own TSval, set against the acknowledgements by SenderClock;
//   - its arrival, less the round trip, which is exact where it did not queue: where a pause came before it;
//   - what was in flight: a window's sender sends when an acknowledgement makes room, and segments up to one with PSH
//     are one write of segmentation offload, sent at once;
//   - the receiver's window, where its scale is known: without the acknowledgement that opened it far enough nothing went;
//   - for a retransmission, the acknowledgement that asked for it: three segments beyond it SACKed (RFC 6675 §4), or
//     the third duplicate.
// Where what a segment says and its tick contradict each other, what it says holds: the acknowledgement in question was
// lost behind the tap, or queued behind data of the receiver's own. A sender that misses data of the receiver's says
// nothing of what followed them. An echo older than many acknowledgements that the sender took in is none. And a sender
// that no acknowledgement reaches sends no more than its window: where what a segment says, or its tick, would put far
// more in flight than ever was, neither is believed, and the flight alone places it.
//
// Lost before the tap: the hole that an original left (RemoteSegments) is given as SentSegments marked `unseen`, of a
// full segment each, in its place in the sequence; their packet is the one that revealed the hole: later data, or a pure
// acknowledgement, whose sequence number is SND.NXT. Events wait for a round trip whether the hole is filled by its
// original, which was only late: by the IP identification where it counts up, else by TSval, else by coming sooner than
// anybody could have asked for it. An original later than that is dropped, since it was given.
//
// What cannot be known: which acknowledgements were lost between tap and sender (they are given, though where TSecr
// shows that one was not there the segments before the next come first), and that a retransmission was lost.
//
// Memory is bounded by max_pending of each kind of packet, held in rings that grow with what is under way. Constant
// time a packet; in proportion to the packets waiting where an original is late in the midst of a hole of many.
class RemoteSender {
  public:
    // So many packets of one kind wait at most; what comes before them is then given as it is.
    static constexpr size_t max_pending = max_remote_pending;

    // `round_trip_ns`: the least time from the tap to the sender and back, as VantageFinder has it; no_time if unknown,
    // it is then learnt. Of `options`, a mss of 0 is taken for 1448.
    RemoteSender(const SenderOptions& options, int64_t round_trip_ns);
    RemoteSender(const RemoteSender&) = delete;
    RemoteSender& operator=(const RemoteSender&) = delete;

    // In the order of the capture; time_ns is the tap's.
    void on_sent(const SentSegment& segment) {
        new_segment() = segment;
        on_new_segment();
    }
    void on_ack(const ReceivedAck& ack) {
        new_ack() = ack;
        on_new_ack();
    }
    // The same without a copy: the place of the next one, to be written whole; then the call that takes it.
    SentSegment& new_segment() { return segments_.add(); }
    void on_new_segment();
    ReceivedAck& new_ack() { return acks_.add(); }
    void on_new_ack();
    // The capture has ended: next() gives all that is left.
    void finish() { finishing_ = true; }

    // next() has nothing to give.
    bool idle() const { return segments_.empty() && acks_can_wait(); }

    // One of the two; valid until the next call of next().
    struct Event {
        const SentSegment* sent = nullptr;
        const ReceivedAck* ack = nullptr;
        // With `sent`, while the sender misses data of the receiver's: what is in flight if it has processed nothing
        // since then, in bytes. Its acknowledgements and echoes stand still and say nothing of that. 0: not so.
        int64_t flight_at_most = 0;
    };
    // The next event, each once, with time_ns at the sender, never before that of the event before. False: none yet.
    // `room`: how many more segments the sender's window has room for after what was given, as a replay of it has it.
    bool next(Event& event, int64_t room = unknown_room);
    static constexpr int64_t unknown_room = -(int64_t{1} << 40);
    // The least from the tap to the sender and back, as far as known; else 0.
    int64_t round_trip_ns() const { return round_trip_.ns(); }

  private:
    // For a segment to come. With nothing else to come, they are held for the longest that one can take.
    bool acks_can_wait() const {
        return acks_.empty() || (!finishing_ && acks_.size() < max_pending &&
                                 now_ns_ - acks_.front().left_ns <= round_trip_.longest_way_ns());
    }
    int64_t pass_to(int64_t time_ns);
    void give_ack(Event& event);
    bool give_segment(Event& event);
    int64_t at_sender(int64_t tap_ns);

    SenderOptions options_;
    bool finishing_ = false;
    int64_t now_ns_ = no_time;  // at the tap, never backwards
    LeastRoundTrip round_trip_;
    SenderClock clock_;
    RemoteAcks acks_;
    RemoteSegments segments_;
    EchoEvidence echoes_;
    AckPlacement placement_;  // of the segment that is next

    // Of what went out.
    int64_t last_out_ns_ = no_time;
    bool last_was_again_ = false;  // the last segment given was a retransmission
    bool any_sent_given_ = false;
    Serial32 given_end_;  // one past the farthest byte given
};

}  // namespace sanscope
