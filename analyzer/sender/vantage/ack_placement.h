// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/base/serial32.h"
#include "analyzer/sender/vantage/echo_evidence.h"
#include "analyzer/sender/vantage/least_round_trip.h"
#include "analyzer/sender/vantage/remote_acks.h"
#include "analyzer/sender/vantage/remote_packets.h"
#include "analyzer/sender/vantage/remote_segments.h"
#include "analyzer/sender/vantage/sender_clock.h"

namespace sanscope {

// Decides of a remote sender's next segment which acknowledgements go before it, and when it was sent: the range that
// its contents allow (EchoEvidence), narrowed down by the tick of its TSval (SenderClock) and by its arrival, and
// within that by what was in flight, by the room in the sender's window, or by what asked for a retransmission.
//
// In: the segment at the head of RemoteSegments, and the acknowledgements not given yet. Out: acks_before() and
// sent_at_ns(), at once or, while undecided(), after wait_for_room().
class AckPlacement {
  public:
    AckPlacement(const SenderOptions& options, const RemoteAcks& acks, EchoEvidence& echoes,
                 LeastRoundTrip& round_trip, SenderClock& clock)
        : options_(options), acks_(&acks), echoes_(&echoes), round_trip_(&round_trip), clock_(&clock) {}

    // `room_known`: wait_for_room() will be told of the window's.
    void place(const RemoteSegments& segments, bool room_known);
    bool placed() const { return placed_; }
    // The head is another one.
    void forget() { placed_ = false; }

    // This acknowledgement and later ones go after the segment.
    AckIndex acks_before() const { return acks_before_; }
    // In tap time: an acknowledgement that left then would have reached the sender.
    int64_t sent_at_ns() const { return sent_at_ns_; }

    bool undecided() const { return undecided_; }
    // All that the segment surely answers has been given. If the window has no room for it, it waited for one that made
    // some; if there is room to spare, it waited for something else. True: it is sent now.
    bool wait_for_room(int64_t room);
    // There was that much before an acknowledgement that goes before the segment.
    void note_room(int64_t room) { room_before_ = room; }
    // An acknowledgement found that many bytes in flight.
    void note_flight(int64_t bytes) { most_flight_ = std::max(most_flight_, bytes); }

  private:
    void settle_time();
    bool impossible(const PendingSegment& pending, AckIndex most, AckIndex most_by_arrival) const;
    AckIndex place_by_flight(const PendingSegment& pending, AckRange range);
    AckIndex place_by_request(const PendingSegment& pending, AckRange range) const;

    SenderOptions options_;
    const RemoteAcks* acks_;
    EchoEvidence* echoes_;
    LeastRoundTrip* round_trip_;
    SenderClock* clock_;

    bool placed_ = false;
    AckIndex acks_before_ = 0;
    int64_t sent_at_ns_ = no_time;
    int64_t most_flight_ = 0;   // that an acknowledgement ever found
    int64_t flight_limit_ = 0;  // what the flight, after a segment is sent, was last consistent with
    bool undecided_ = false;
    bool waited_ = false;      // there was no room for it
    bool by_arrival_ = false;  // its arrival shows best when it was sent
    AckRange range_;
    int64_t needed_ = 1;       // segments that are sent together
    int64_t room_before_ = 0;  // the last acknowledgement that it surely answers
    // So much of the room that the replay reports the sender did not use of late, in segments.
    int64_t withheld_ = 0;
    int64_t earliest_ns_ = no_time;
};

}  // namespace sanscope
