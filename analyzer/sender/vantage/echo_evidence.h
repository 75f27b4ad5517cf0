// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/base/serial32.h"
#include "analyzer/sender/vantage/remote_acks.h"
#include "analyzer/sender/vantage/remote_packets.h"

namespace sanscope {

// Which acknowledgements a segment itself says its sender had processed: by the TSval that it echoes (RFC 7323 §4.3:
// only acknowledgements at or before the point acknowledged last are echoed), by the data of the receiver's that it
// acknowledges, and by the window it needed.
//
// A sender that misses data of the receiver's says nothing of what followed them, nor does an echo from before a pause.
// In: each segment and acknowledgement that is given, in the sender's order.
class EchoEvidence {
  public:
    explicit EchoEvidence(uint32_t mss) : mss_(mss) {}

    AckRange processed_before(const SentSegment& segment, const RemoteAcks& acks) const;

    // A packet of the sender. `event`: it occupies sequence space. `processed`: the greatest acknowledgement given.
    void on_segment_given(const SentSegment& segment, bool event, Serial32 processed);
    void on_ack_given(uint32_t timestamp);
    // What the echoes say was found to be impossible.
    void disbelieve() { unechoed_acks_ = most_unechoed_acks; }

    // It acknowledged the same twice with pure acknowledgements: data of the receiver were lost on their way to it, and
    // it takes in what follows them without echoing or acknowledging any.
    bool receives_beyond_hole() const { return receives_beyond_hole_; }
    // The acknowledgement that it surely had processed before.
    Serial32 processed_before_hole() const { return processed_before_hole_; }

  private:
    // An echo older than so many acknowledgements that came since is none.
    static constexpr uint32_t most_unechoed_acks = 64;
    static constexpr uint32_t bulk_segments = 8;

    uint32_t mss_;
    bool any_ = false;
    Serial32 acknowledged_;  // by the last segment given
    bool receives_beyond_hole_ = false;
    Serial32 processed_before_hole_;
    // It acknowledged data anew and echoes since what came with them: that says nothing of what came between the two.
    bool echo_is_old_ = false;
    uint32_t old_echo_ = 0;
    uint32_t unechoed_acks_ = 0;  // given since the echo changed last, and newer than it
};

}  // namespace sanscope
