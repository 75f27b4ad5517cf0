// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/base/serial32.h"
#include "analyzer/net/decoded_packet.h"
#include "analyzer/sender/events/sender_events.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// Of one side of a connection, which bytes of its sequence space the capture has shown, in the order of the capture;
// and so, of each segment, whether it brings bytes for the first time or again. Nothing else may say that something was
// sent again.
//
// Whatever lies below the farthest byte and in no hole was seen before. A segment that fills a hole is either an
// original that was overtaken, or it was sent again and the first copy never passed the tap. TCP sends new data in
// order, so what was sent after the segment that revealed the hole was sent again: the IP identification shows that
// where it counts up (RFC 6864 lets it be anything), else by TSval, which never decreases (RFC 7323 §5.4), else by
// whether anybody can have asked for it by then. Where none of these decides, it was an original: that needs no packet
// which the capture lacks.
//
// Of a side whose first segment stands in the capture later than what the other side acknowledges of it, the bytes before
// that segment are a hole of the capture too, where they cannot have been on their way when it began.
//
// An acknowledgement may stand in the capture before the segment it acknowledges: two processors, or two ports, have
// each their own queue to the tap. Bytes that are acknowledged and not yet seen are a hole of the capture only once the
// grace has passed.
//
// Takes nothing until there is a hole, and no more than max_holes of them; below the first that was forgotten nothing
// is known of what was seen.
class SentHistory {
  public:
    static constexpr size_t max_holes = 128;
    // Tap and queues may put packets out of order for so long.
    static constexpr int64_t grace_ns = 200'000'000;

    // Writes into `segment` what it brings: its fields `sent`, `overtaken`, `overtaken_ns`, `acknowledged`,
    // `acknowledged_before` and `keeps_alive`. `round_trip_ns`: the least time from the tap to the receiver, the sender and back; no_time if
    // unknown.
    void on_sent(SentSegment& segment, int64_t round_trip_ns) {
        const uint32_t length = sequence_length(segment);
        note_ip_id(segment.ip_id);
        segment.sent = Sent::first;
        if (segment.seq == end_ && begun_ && uncovered_ns_ == no_time) [[likely]] {
            if (length > 0) advance(segment, length);
            return;
        }
        on_other(segment, length, round_trip_ns);
    }
    // Of the other side, with ACK set.
    void on_acknowledged(const ReceivedAck& ack) {
        if (ack.sack_blocks > 0) [[unlikely]]
            note_sacked(ack);
        const bool repeats = any_ack_ && !acknowledged_.before(ack.ack);
        if (repeats && holes_.empty()) [[likely]]
            return;
        note_acknowledgement(ack, repeats);
    }

    // The SYN of the other side was captured: whatever this side sends behind its own comes later.
    void on_opened() { opened_ = true; }

    // Bytes that were acknowledged and that no packet brought.
    struct Missing {
        Serial32 begin;
        Serial32 end;
        PacketNumber packet = 0;  // that acknowledged them
        int64_t time_ns = no_time;
    };
    // Some may be sure by now that take_missing() has not given yet.
    bool may_miss(int64_t now_ns) const { return now_ns >= next_missing_ns_; }
    // Gives them one by one; false: no more. With `all`, those too whose grace has not passed.
    bool take_missing(int64_t now_ns, bool all, Missing& missing);

  private:
    // A transmission that bounds a hole.
    struct Mark {
        int64_t time_ns = no_time;  // no_time: there is none
        uint32_t timestamp = 0;
        uint16_t ip_id = 0;
        bool has_timestamp = false;
    };
    struct Hole {
        Serial32 begin;
        Serial32 end;
        Mark before;  // sent before it; of a capture that begins in the midst, none
        Mark behind;  // sent after it, and revealed it
        int64_t acknowledged_ns = no_time;
        PacketNumber acknowledged_by = 0;
        bool asked = false;  // the receiver has shown that it lacks these bytes
        bool reported = false;
        bool is_start = false;  // what was sent before the capture began
    };

    // Bytes that were first seen when they were sent again: their original may still come.
    struct Repaired {
        Serial32 begin;
        Serial32 end;
        Mark before;
        Mark behind;
        Mark repair;
    };
    static constexpr size_t max_repaired = 64;

    static uint32_t sequence_length(const SentSegment& segment);
    static Mark mark_of(const SentSegment& segment);
    void on_other(SentSegment& segment, uint32_t length, int64_t round_trip_ns);
    void advance(const SentSegment& segment, uint32_t length);
    void begin(const SentSegment& segment, uint32_t length);
    void add_holes_before(const SentSegment& segment);
    void note_start(const ReceivedAck& ack);
    void note_ip_id(uint16_t ip_id);
    bool ip_ids_count() const { return ip_id_credit_ > 0; }
    bool keeps_alive(const SentSegment& segment, uint32_t length) const;
    void on_repeated(SentSegment& segment, Serial32 end, int64_t round_trip_ns);
    Sent judge(const Hole& hole, const SentSegment& segment, int64_t round_trip_ns) const;
    Sent judge_acknowledged(const SentSegment& segment, Serial32 end) const;
    bool sent_after_front(const SentSegment& segment) const;
    static bool is_older(const SentSegment& segment, const Mark& behind, const Mark& repair);
    bool lies_between(const Mark& before, const SentSegment& segment, const Mark& behind) const;
    bool is_late_original(const SentSegment& segment, Serial32 end, int64_t& overtaken_ns) const;
    void keep_repaired(const Hole& hole, const SentSegment& repair, Serial32 end);
    void add_hole(Serial32 begin, Serial32 end, const Mark& behind);
    void fill(size_t i, Serial32 begin, Serial32 end);
    void cover();
    void note_acknowledged(Hole& hole, int64_t time_ns, PacketNumber packet);
    void note_acknowledgement(const ReceivedAck& ack, bool repeats);
    void note_request(const ReceivedAck& ack);
    void note_sacked(const ReceivedAck& ack);
    bool was_sent_before_start(const SentSegment& segment);

    bool begun_ = false;
    bool begun_late_ = false;           // amid the connection, and little was seen since,
    Serial32 begun_at_;                 // from here on,
    uint32_t begun_length_ = 0;         // the first segment of so much
    bool opened_ = false;               // the other side's SYN was captured
    int64_t first_heard_ns_ = no_time;  // when the other side first acknowledged anything
    Serial32 start_;  // what was sent from here on was sent since the capture began; if any_ack_
    bool any_sent_before_ = false;
    Serial32 sent_before_;  // SND.NXT before that, as a pure acknowledgement has it
    bool any_sacked_ = false;
    Serial32 sacked_to_;  // the farthest byte that was SACKed
    bool any_ack_ = false;
    bool any_forgotten_ = false;
    bool acks_stand_early_ = false;  // some stood before the segment that they acknowledge
    int8_t ip_id_credit_ = 0;        // how far the IP identification is believed to count up
    uint16_t newest_ip_id_ = 0;
    uint16_t ip_id_before_ = 0;  // the newest until this segment came
    Serial32 end_;               // one past the farthest byte seen, or passed over by a pure acknowledgement
    Serial32 data_end_;          // one past the farthest byte seen
    Mark front_;                 // of the segment that brought it
    Serial32 acknowledged_;
    int64_t acknowledged_ns_ = no_time;  // when that came
    PacketNumber acknowledged_by_ = 0;
    int64_t uncovered_ns_ = no_time;  // since when bytes beyond end_ are acknowledged
    uint32_t uncovered_echo_ = 0;     // TSecr of the acknowledgement that showed so,
    bool uncovered_echoes_ = false;   // if it has one
    int64_t next_missing_ns_ = INT64_MAX;
    Serial32 forgotten_;              // holes below it are not known any more, if any_forgotten_
    std::vector<Hole> holes_;         // in order of sequence
    std::vector<Repaired> repaired_;  // a ring, once there was one
    size_t repaired_count_ = 0;
};

inline uint32_t SentHistory::sequence_length(const SentSegment& segment) {
    return segment.length + ((segment.flags & tcp_syn) != 0 ? 1 : 0) +
           ((segment.flags & tcp_fin) != 0 ? 1 : 0);
}

inline SentHistory::Mark SentHistory::mark_of(const SentSegment& segment) {
    return {segment.time_ns, segment.timestamp, segment.ip_id, segment.has_timestamp};
}

inline void SentHistory::advance(const SentSegment& segment, uint32_t length) {
    end_ = segment.seq + length;
    if (length > 0) data_end_ = end_;
    front_ = mark_of(segment);
}

inline void SentHistory::note_ip_id(uint16_t ip_id) {
    ip_id_before_ = newest_ip_id_;
    if (ip_id == static_cast<uint16_t>(newest_ip_id_ + 1)) [[likely]] {
        newest_ip_id_ = ip_id;
        if (ip_id_credit_ < 16) ++ip_id_credit_;
        return;
    }
    // Segmentation offload and other connections of the host step over some, one that was overtaken goes back a little.
    constexpr int32_t largest_step = 1024;
    if (ip_id == 0) return;
    const int32_t step = static_cast<int16_t>(static_cast<uint16_t>(ip_id - newest_ip_id_));
    if (step < 0 && step >= -largest_step) return;
    newest_ip_id_ = ip_id;
    if (step > 0 && step <= largest_step) {
        if (ip_id_credit_ < 16) ++ip_id_credit_;
    } else if (ip_id_credit_ > -16) {
        --ip_id_credit_;
    }
}

}  // namespace sanscope
