// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/base/time_spans.h"
#include "analyzer/report/senders/sender_facts.h"

namespace sanscope {

// The sender whose rows of the table `windows` pass (window_pass.h): what all parts of the pass go by.
struct PassedSender {
    explicit PassedSender(SenderFacts& of_sender)
        : facts(&of_sender),
          rtt_min_ns(of_sender.rtt_min_ns()),
          mss(of_sender.mss()),
          is_near(of_sender.captured_at_sender()) {
        if (of_sender.busy != nullptr) busy = SpanWalk(*of_sender.busy);
        if (!is_near && rtt_min_ns != no_time) to_tap_ns = rtt_min_ns / 2;
    }

    // How long commands were under way in that time, which is the sender's.
    int64_t busy_ns(int64_t begin_ns, int64_t end_ns) {
        return busy.overlap_ns(begin_ns + to_tap_ns, end_ns + to_tap_ns);
    }

    SenderFacts* facts;
    int64_t rtt_min_ns;
    uint32_t mss;
    bool is_near;  // the capture
    // Rows tell moments at the sender: what passed a tap at the other end did so half a round trip later.
    int64_t to_tap_ns = 0;
    SpanWalk busy;
};

}  // namespace sanscope
