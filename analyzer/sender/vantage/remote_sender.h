// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "analyzer/base/serial32.h"
#include "analyzer/sender/events/sender_events.h"
#include "analyzer/sender/vantage/event_ring.h"
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
// Order: which acknowledgements a segment's sender had processed is narrowed down, one after another, by
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
// Lost before the tap: the hole that an original left is given as SentSegments marked `unseen`, of a full segment each,
// in its place in the sequence; their packet is the one that revealed the hole: later data, or a pure acknowledgement,
// whose sequence number is SND.NXT. Events wait for a round trip whether the
// hole is filled by its original, which was only late: by the IP identification where it counts up, else by TSval, else
// by coming sooner than anybody could have asked for it. An original later than that is dropped, since it was given.
//
// What cannot be known: which acknowledgements were lost between tap and sender (they are given, though where TSecr
// shows that one was not there the segments before the next come first), and that a retransmission was lost.
//
// Memory is bounded by max_pending of each kind of packet, held in rings that grow with what is under way. Constant
// time a packet; in proportion to the packets waiting where an original is late in the midst of a hole of many.
class RemoteSender {
  public:
    // So many packets of one kind wait at most; what comes before them is then given as it is.
    static constexpr size_t max_pending = 8192;

    // `round_trip_ns`: the least time from the tap to the sender and back, as VantageFinder has it; no_time if unknown,
    // it is then learnt. Of `options`, a mss of 0 is taken for 1448.
    RemoteSender(const SenderOptions& options, int64_t round_trip_ns);

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
    SentSegment& new_segment() { return segments_.add_back().segment; }
    void on_new_segment();
    ReceivedAck& new_ack() { return acks_.add_back().ack; }
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

  private:
    static constexpr int64_t longest_round_trip_ns = 10'000'000'000;
    // With nothing else to come, acknowledgements are held for so long beyond the round trip.
    static constexpr int64_t patience_ns = 2'000'000'000;

    // What has been acknowledged up to an acknowledgement, it included.
    struct Acknowledged {
        Serial32 last;            // by that one
        Serial32 highest;         // the greatest acknowledgement
        Serial32 sacked_end;      // one past the farthest byte acknowledged or SACKed
        Serial32 data_end;        // one past the farthest byte the receiver sent
        Serial32 window_end;      // one past the farthest byte allowed, where the window's scale is known
        uint32_t timestamp = 0;   // TSval of that one
        uint32_t duplicates = 0;  // dupACK count: how many acknowledgements repeated this one up to here
    };
    struct PendingAck {
        ReceivedAck ack;
        Acknowledged upto;
        int64_t left_ns = 0;         // when the tap saw it, never before the one before
        bool brings_data = false;    // upto.data_end is by this one
        bool first_of_tick = false;  // no earlier one has its TSval
    };
    enum class Kind : uint8_t {
        original,
        retransmission,
        evidence,  // occupies no sequence space
        missing,   // a hole; `segment` is the one that revealed it, but for sequence and length
    };
    struct PendingSegment {
        SentSegment segment;
        int64_t arrival_ns = 0;
        Kind kind = Kind::original;
        bool spaced = false;           // a pause came before it
        bool continues_write = false;  // of the segment that arrived before
        bool known_lost = false;       // of a hole
        int64_t silence_ns = 0;        // since the segment that arrived before
        uint32_t piece = 0;            // of a hole: bytes that are given as one segment
    };
    using AckIndex = EventRing<PendingAck>::Index;
    using SegmentIndex = EventRing<PendingSegment>::Index;
    struct Hole {
        Serial32 begin;
        Serial32 end;
        PendingSegment revealed_by;
    };
    // Of the segment that arrived last, what shows whether the next is of the same write.
    struct Arrived {
        Serial32 end;
        Serial32 ack;
        uint32_t timestamp = 0;
        uint32_t timestamp_echo = 0;
        uint16_t ip_id = 0;
        bool pushed = false;
    };
    // The acknowledgements processed before a segment was sent: all before an index that lies in [least, most].
    struct AckRange {
        AckIndex least = 0;
        AckIndex most = 0;
        bool most_is_firm = true;  // even against the sender's clock
    };

    // For a segment to come.
    bool acks_can_wait() const {
        return acks_.empty() || (!finishing_ && acks_.size() < max_pending &&
                                 now_ns_ - acks_.front().left_ns <= 2 * round_trip_ns_ + patience_ns);
    }
    // A segment that was sent longer ago than this has arrived, or is lost: no path stands still for so long.
    int64_t longest_way_ns() const { return 2 * round_trip_ns_ + patience_ns; }
    void note_arrival(PendingSegment& pending);
    void note_byte_time(double byte_ns, bool same_write);
    void note_ip_id(uint16_t ip_id);
    void note_round_trip(int64_t round_trip_ns);
    void settle_lone();
    void add_hole(Serial32 end);
    void make_hole(PendingSegment& hole, Serial32 begin, uint32_t length) const;
    bool take_repeated();
    bool fill_hole(const PendingSegment& late);
    bool is_original_of(const PendingSegment& late, const PendingSegment& revealed_by) const;
    bool was_given_up(const PendingSegment& late) const;

    bool ready(const PendingSegment& pending) const;
    int64_t segments_of_write() const;
    void place(const PendingSegment& pending, bool room_known);
    bool wait_for_room(int64_t room);
    void settle_time();
    AckRange processed_by_content(const SentSegment& segment) const;
    AckIndex opened_window(const SentSegment& segment) const;
    bool impossible(const PendingSegment& pending, AckIndex most, AckIndex most_by_arrival) const;
    AckIndex place_by_flight(const PendingSegment& pending, AckRange range);
    AckIndex place_by_request(const PendingSegment& pending, AckRange range) const;
    AckIndex first_after(int64_t time_ns) const;
    int64_t flight(AckIndex processed, Serial32 end) const;
    static Serial32 end_of_next(const PendingSegment& pending);
    void keep_given_up(const PendingSegment& hole);
    void give_ack(Event& event);
    bool give_segment(Event& event);
    SentSegment& give_piece(PendingSegment& hole);
    int64_t at_sender(int64_t tap_ns);

    SenderOptions options_;
    bool finishing_ = false;
    bool round_trip_known_ = false;
    int64_t round_trip_ns_ = 0;
    int64_t least_answer_ns_ = longest_round_trip_ns;      // the least two times from an acknowledgement to
    int64_t confirmed_answer_ns_ = longest_round_trip_ns;  // a segment that shows it was processed
    int64_t now_ns_ = no_time;                             // at the tap, never backwards
    EventRing<PendingAck> acks_;
    EventRing<PendingSegment> segments_;  // in the sender's order
    size_t holes_ = 0;                    // of those, missing ones
    SegmentIndex last_break_ = 0;         // the last of them that continues no write
    SenderClock clock_;

    // Of what came in.
    bool any_sequence_ = false;
    Serial32 sequence_end_;  // one past the farthest byte the sender is known to have sent
    bool any_arrival_ = false;
    Arrived last_arrived_;
    int64_t last_arrival_ns_ = 0;
    uint32_t write_length_ = 0;  // bytes of the write that is arriving
    double byte_time_ns_ = 0;    // 0: not known
    double measured_byte_ns_ = 0;
    double byte_step_ns_ = 0;  // by which the next one moves that
    uint32_t byte_times_ = 0;  // that were measured
    bool write_seen_ = false;  // it is by segments of one write
    int ip_id_credit_ = 0;     // how far the IP identification is believed to count up
    bool any_ack_ = false;
    bool lone_waits_ = false;      // whether it is new data is not known yet,
    SegmentIndex lone_ = 0;        // of this segment,
    int32_t lone_ip_id_step_ = 0;  // which has an IP identification so far from the one before
    std::array<Hole, 8> given_up_{};
    size_t given_up_count_ = 0;  // ever

    // Of what went out.
    bool head_placed_ = false;  // acks_before_ and sent_at_ns_ are of the segment that is next
    AckIndex acks_before_ = 0;  // this and later ones go after it
    int64_t sent_at_ns_ =
        no_time;  // in tap time: an acknowledgement that left then would have reached the sender
    int64_t last_out_ns_ = no_time;
    Acknowledged last_ack_given_;
    bool last_was_again_ = false;  // the last segment given was a retransmission
    bool any_sent_given_ = false;
    Serial32 sender_acknowledged_;  // by the last segment given
    // It acknowledged the same twice with pure acknowledgements: data of the receiver were lost on their way to it, and
    // it takes in what follows them without echoing or acknowledging any.
    bool receives_beyond_hole_ = false;
    Serial32 processed_before_hole_;  // the acknowledgement that it surely had processed before
    // It acknowledged data anew and echoes since what came with them: that says nothing of what came between the two.
    bool echo_is_old_ = false;
    uint32_t old_echo_ = 0;
    uint32_t unechoed_acks_ = 0;  // given since the echo changed last, and newer than it
    bool any_ack_given_ = false;
    Serial32 given_end_;        // one past the farthest byte given
    int64_t most_flight_ = 0;   // that an acknowledgement ever found
    int64_t flight_limit_ = 0;  // what the flight, after a segment is sent, was last consistent with
    SentSegment piece_out_;     // of a hole
    // Of the segment that is next, while it is not decided which acknowledgement goes before it.
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
