// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

#include "analyzer/base/serial32.h"
#include "analyzer/vocabulary/issues.h"
#include "analyzer/vocabulary/side.h"

namespace sanscope {

// Finds out whether pieces of a connection stand in the capture behind packets that were sent later, as where files were put one
// behind the other in a wrong order, or twice. Two things never decrease in the order of sending: the acknowledgement number
// (RFC 9293 §3.10.7.4: each segment has RCV.NXT), and TSval (RFC 7323 §5.4). A path, or an interface with several queues, has a
// packet late now and then, between others that bring something new; a piece is many such in a row, of both sides in turn, or of times
// that are long before.
class SendingOrder {
  public:
    // The next segment with a TCP timestamp.
    void note_timestamp(Side from, uint32_t tsval, int64_t time_ns) {
        Sender& sender = senders_[index_of(from)];
        if (time_ns < sender.tsval_ns - least_set_back_ns && Serial32(tsval).before(Serial32(sender.tsval)))
            [[unlikely]] {
            ++by_timestamp_;
            return;
        }
        sender.tsval = tsval;
        sender.tsval_ns = time_ns;
    }
    // Has data behind all that came before.
    void note_new_data() {
        if (run_.packets != 0) [[unlikely]]
            end_run();
    }
    // It acknowledges more than any before of its side.
    void note_newest(Side from, Serial32 ack, int64_t time_ns) {
        if (run_.packets != 0) [[unlikely]]
            end_run();
        Sender& sender = senders_[index_of(from)];
        sender.newest_ns = time_ns;
        if (!is_long(time_ns, sender.marked_ns)) return;
        sender.before = sender.begun ? sender.marked : ack;
        sender.begun = true;
        sender.marked = ack;
        sender.marked_ns = time_ns;
    }
    // It acknowledges less than one before of its side.
    void note_older(Side from, Serial32 ack, int64_t time_ns) {
        const Sender& sender = senders_[index_of(from)];
        run_.turns += run_.packets != 0 && run_.latest != from ? 1 : 0;
        run_.latest = from;
        ++run_.packets;
        if (time_ns <= sender.newest_ns - least_set_back_ns) {
            ++run_.back;
        } else if (is_long(time_ns, sender.newest_ns) ||
                   ack.before(is_long(time_ns, sender.marked_ns) ? sender.marked : sender.before)) {
            ++run_.late;
        }
    }
    bool is_wrong() const {
        if (by_timestamp_ >= least_packets) return true;
        const bool is_piece = is_of_piece(run_);
        const uint64_t in_pieces = in_pieces_ + (is_piece ? run_.packets : 0);
        const uint64_t between = between_ + (is_piece ? 0 : run_.packets);
        // Where a capture of another place was merged, or the path has much out of order, a few stand in a row as well.
        return in_pieces >= least_packets && in_pieces >= between;
    }

  private:
    // A few may have been late on the path while a clock was set back.
    static constexpr uint32_t least_packets = 8;
    static constexpr uint32_t many_turns = 16;
    static constexpr uint32_t some_turns = 4;
    static constexpr int64_t long_ago_ns = -(int64_t{1} << 62);  // such that times can be taken from it
    // No queue on a path holds many packets up for so long.
    static bool is_long(int64_t one_ns, int64_t other_ns) {
        return one_ns >= other_ns + least_set_back_ns || one_ns <= other_ns - least_set_back_ns;
    }

    struct Sender {
        int64_t tsval_ns = long_ago_ns;
        int64_t newest_ns = long_ago_ns;  // of the greatest acknowledgement
        // What was the greatest then, and what had been long before that.
        int64_t marked_ns = long_ago_ns;
        Serial32 marked;
        Serial32 before;
        uint32_t tsval = 0;
        bool begun = false;
    };
    // Packets that acknowledge less than others before, with none that brings something new between them.
    struct Run {
        uint32_t packets = 0;
        uint32_t back = 0;   // their times are long before
        uint32_t late = 0;   // … or long behind
        uint32_t turns = 0;  // from one side to the other
        Side latest = Side::a;
    };
    static bool is_of_piece(const Run& run) {
        if (run.back >= least_packets || run.turns >= many_turns) return true;
        return run.late >= least_packets && run.turns >= some_turns;
    }
    void end_run() {
        (is_of_piece(run_) ? in_pieces_ : between_) += run_.packets;
        run_ = {};
    }

    std::array<Sender, 2> senders_;
    Run run_;
    uint64_t in_pieces_ = 0;
    uint64_t between_ = 0;
    uint32_t by_timestamp_ = 0;
};

}  // namespace sanscope
