// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "analyzer/base/serial32.h"

namespace sanscope::simulated {

constexpr uint32_t infinite_ssthresh = std::numeric_limits<uint32_t>::max();

// A sender's congestion window and slow start threshold, in segments.
struct CongestionWindow {
    uint32_t cwnd = 10;
    uint32_t ssthresh = infinite_ssthresh;

    bool in_slow_start() const { return cwnd < ssthresh; }
};

// What sets one congestion control apart: how the window grows, and to what it falls.
class CongestionStrategy {
  public:
    struct Moment {
        int64_t now_ns;
        Serial32 snd_una;  // after the acknowledgement at hand
        Serial32 snd_nxt;
    };

    virtual ~CongestionStrategy() = default;

    // `segments` were acknowledged while the window was what held the sender back.
    virtual void grow(CongestionWindow& window, uint32_t segments, const Moment& moment) = 0;
    // To what ssthresh falls when congestion is met with that window. Called once for each reduction.
    virtual uint32_t reduced(uint32_t cwnd) = 0;
    // A round trip was measured; before grow() of the same acknowledgement.
    virtual void on_round_trip(CongestionWindow&, int64_t /*rtt_ns*/, const Moment&) {}
    virtual void on_timeout() {}
    // Data go out after so long with nothing outstanding.
    virtual void on_send_after_idle(int64_t /*idle_ns*/, const Moment&) {}
};

// RFC 5681: one segment a segment in slow start, one a window after it; half the window when congestion is met.
std::unique_ptr<CongestionStrategy> make_reno();

// RFC 9438 with β = 717/1024, C = 0.4, fast convergence and the Reno-friendly region; HyStart by delay and by trains of
// acknowledgements, as Linux has it (net/ipv4/tcp_cubic.c).
std::unique_ptr<CongestionStrategy> make_cubic(bool hystart = true);

// Reno with `connections` that share one window, as of an ensemble's (RFC 2140, Fair-TCP): of one it grows by a segment in
// so many windows, and halves all the same.
std::unique_ptr<CongestionStrategy> make_shared_reno(uint32_t connections);

// Vegas (Brakmo and Peterson, 1995) with α = 2 and β = 4 segments: once a round trip the window moves by a segment to keep
// so many in the path's queue, and halves where something is lost.
std::unique_ptr<CongestionStrategy> make_vegas();

}  // namespace sanscope::simulated
