// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/testing/simulated_receiver.h"

#include <algorithm>
#include <utility>

namespace sanscope::simulated {
namespace {

constexpr Serial32 own_next{1};  // it sends nothing but its SYN, number 0

}  // namespace

SimulatedReceiver::SimulatedReceiver(VirtualTime& time, const Options& options, Answer answer)
    : time_(time),
      options_(options),
      answer_(std::move(answer)),
      delayed_ack_(time, [this] { acknowledge(); }),
      next_(options.first_byte),
      last_ack_sent_(options.first_byte) {}

void SimulatedReceiver::on_segment(const WireSegment& segment) {
    keep_timestamp(segment);
    if (segment.has(tcp_cwr)) echo_congestion_ = false;
    if (segment.congestion_experienced) echo_congestion_ = true;
    if (segment.length == 0) {
        // A keep-alive or a probe of a zero window asks about bytes long received (RFC 9293 §3.10.7.4: answer it).
        if (segment.seq.before(next_)) acknowledge();
        return;
    }
    take_data(segment);
}

void SimulatedReceiver::keep_timestamp(const WireSegment& segment) {
    if (!segment.has_timestamp) return;
    // RFC 7323 §4.3 (2): only the segment that covers what was acknowledged last gives the echo, so that a delayed
    // acknowledgement echoes the first of the segments it answers, and one after a gap that before the gap.
    if (!segment.seq.after(last_ack_sent_) &&
        static_cast<int32_t>(segment.timestamp - recent_timestamp_) >= 0)
        recent_timestamp_ = segment.timestamp;
}

void SimulatedReceiver::take_data(const WireSegment& segment) {
    if (!next_.before(segment.end())) {
        ++duplicate_segments_;
        duplicate_ = {segment.seq, segment.end()};
        has_duplicate_ = true;
        acknowledge();
        return;
    }
    if (static_cast<uint32_t>(next_.distance_to(segment.end())) > window()) {
        acknowledge();  // beyond the window: not taken (RFC 9293 §3.10.7.4)
        return;
    }
    if (next_.before(segment.seq)) {
        keep_out_of_order(segment);
        acknowledge();
        return;
    }
    const bool there_was_a_gap = !blocks_.empty();
    accept_in_order(segment);
    ++unacknowledged_segments_;
    // RFC 5681 §4.2: at once where a gap is filled, even in part; else every second segment.
    if (!options_.delayed_acks || there_was_a_gap || unacknowledged_segments_ >= 2) {
        acknowledge();
    } else if (!delayed_ack_.running()) {
        delayed_ack_.set(time_.now() + options_.delayed_ack_ns);
    }
}

void SimulatedReceiver::accept_in_order(const WireSegment& segment) {
    const Serial32 before = next_;
    next_ = segment.end();
    for (bool joined = true; joined;) {
        joined = false;
        for (auto block = blocks_.begin(); block != blocks_.end(); ++block) {
            if (next_.before(block->begin)) continue;
            if (next_.before(block->end)) next_ = block->end;
            blocks_.erase(block);
            joined = true;
            break;
        }
    }
    const auto bytes = static_cast<uint32_t>(before.distance_to(next_));
    bytes_received_ += bytes;
    if (!reading_) unread_ += bytes;
}

void SimulatedReceiver::keep_out_of_order(const WireSegment& segment) {
    Block merged{segment.seq, segment.end()};
    for (const Block& block : blocks_) {
        const bool inside = !merged.begin.before(block.begin) && !block.end.before(merged.end);
        if (inside) {
            ++duplicate_segments_;
            duplicate_ = merged;
            has_duplicate_ = true;
        }
    }
    for (bool joined = true; joined;) {
        joined = false;
        for (auto block = blocks_.begin(); block != blocks_.end(); ++block) {
            if (merged.end.before(block->begin) || block->end.before(merged.begin)) continue;
            if (block->begin.before(merged.begin)) merged.begin = block->begin;
            if (merged.end.before(block->end)) merged.end = block->end;
            blocks_.erase(block);
            joined = true;
            break;
        }
    }
    blocks_.insert(blocks_.begin(), merged);
}

void SimulatedReceiver::acknowledge() {
    delayed_ack_.stop();
    unacknowledged_segments_ = 0;
    WireSegment ack;
    ack.seq = own_next;
    ack.ack = next_;
    ack.window = window();
    ack.ip_id = ++ip_id_;
    if (echo_congestion_) ack.flags |= tcp_ece;
    if (options_.timestamps) {
        ack.has_timestamp = true;
        ack.timestamp = options_.clock_offset + static_cast<uint32_t>(time_.now() / millisecond);
        ack.timestamp_echo = recent_timestamp_;
    }
    if (options_.sack) {
        const size_t room = options_.timestamps ? 3 : 4;
        if (has_duplicate_) ack.sack[ack.sack_blocks++] = duplicate_;
        for (const Block& block : blocks_)
            if (ack.sack_blocks < room) ack.sack[ack.sack_blocks++] = block;
    }
    has_duplicate_ = false;
    last_ack_sent_ = next_;
    ++acks_sent_;
    answer_(ack);
}

Serial32 SimulatedReceiver::acknowledged_with_data() {
    delayed_ack_.stop();
    unacknowledged_segments_ = 0;
    last_ack_sent_ = next_;
    return next_;
}

uint32_t SimulatedReceiver::window() const {
    const uint32_t room = options_.buffer_bytes - std::min(unread_, options_.buffer_bytes);
    // RFC 9293 §3.8.6.2.2: no window smaller than a segment is offered.
    return room < options_.mss ? 0 : room;
}

void SimulatedReceiver::pause_reading() {
    reading_ = false;
}

void SimulatedReceiver::resume_reading() {
    const bool was_closed = window() == 0;
    reading_ = true;
    unread_ = 0;
    if (was_closed) acknowledge();
}

}  // namespace sanscope::simulated
