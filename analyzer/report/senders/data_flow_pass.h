// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/base/serial32.h"
#include "analyzer/report/senders/passed_sender.h"

namespace sanscope {

// When a sender's data passed one upon another, in the capture's time. Out: SenderFacts::flowing.
class DataFlowPass {
  public:
    explicit DataFlowPass(const PassedSender& sender)
        : gap_ns_(std::max<int64_t>(least_gap_ns, sender.rtt_min_ns == no_time ? 0 : sender.rtt_min_ns / 4)) {
    }

    // The time between the two rows.
    static void pass(const PassedSender& sender, const WindowRow& last, int64_t passed_ns) {
        // What a send buffer holds waits for acknowledgements, whatever else the application has. Silence of more than two
        // round trips, or than one as long as the queue on the path makes it, is another's: an acknowledgement that is
        // delayed, or what the other parts of the pass report.
        if (!is_flow(sender, last.in_flight, last)) return;
        const int64_t most_ns =
            std::max({2 * std::max<int64_t>(sender.rtt_min_ns, 0), least_gap_ns, last.srtt_ns});
        const int64_t begin_ns = last.time_ns + sender.to_tap_ns;
        sender.facts->flowing.add(begin_ns, begin_ns + std::min(passed_ns, most_ns));
    }

    void on_row(const PassedSender& sender, const WindowRow& last, const WindowRow& row) {
        if (!Serial32(last.snd_nxt).before(Serial32(row.snd_nxt))) return;
        const int64_t at_tap_ns = row.time_ns + sender.to_tap_ns;
        // Behind a few segments nothing has to wait: between them the socket is empty.
        constexpr int64_t back_to_back_ns = 20'000;
        const bool flows = is_flow(sender, std::max(last.in_flight, row.in_flight), row);
        const int64_t gap_ns = flows ? gap_ns_ : back_to_back_ns;
        if (sent_ns_ != no_time && elapsed_ns(sent_ns_, at_tap_ns) <= gap_ns)
            sender.facts->flowing.add(sent_ns_, at_tap_ns);
        sent_ns_ = at_tap_ns;
    }

  private:
    static constexpr int64_t least_gap_ns = 200'000;

    // So much is under way that more stands behind it in the socket. A small window, of the receiver's or for congestion,
    // has no room for many segments, and one of unknown scale may be small.
    static bool is_flow(const PassedSender& sender, uint32_t in_flight, const WindowRow& row) {
        const uint32_t two = 2 * sender.mss;
        if (row.advertised_window == unknown<uint32_t>) return in_flight >= two;
        uint32_t many = SenderFacts::queue_segments * sender.mss;
        if (row.cwnd < many + two) many = row.cwnd / 2;
        if (row.advertised_window < 2 * SenderFacts::queue_segments * sender.mss)
            many = std::min(many, row.advertised_window / 2);
        return in_flight >= std::max(many, two);
    }

    int64_t gap_ns_;
    int64_t sent_ns_ = no_time;
};

}  // namespace sanscope
