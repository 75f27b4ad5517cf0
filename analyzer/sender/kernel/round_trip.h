// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/sender/kernel/ack_work.h"
#include "analyzer/sender/kernel/rtt_estimator.h"
#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {

// Which round trip an acknowledgement shows, and what that makes of the smoothed and of the least one.
class RoundTrip {
  public:
    explicit RoundTrip(SenderState& tp) : tp_(tp) {}

    bool measured() const { return estimator_.measured(); }

    // tcp_ack_update_rtt(). `seq_rtt_us`: of the first segment acknowledged, `sack_rtt_us`: of the first one SACKed,
    // `last_rtt_us`: of the last one, negative where Karn's rule forbids; `tsopt_rtt_us()`: what the echoed timestamp
    // says (tcp_rtt_tsopt_us).
    template <class TsoptRtt>
    void update(AckWork& work, int64_t seq_rtt_us, int64_t sack_rtt_us, int64_t last_rtt_us,
                TsoptRtt&& tsopt_rtt_us) {
        if (seq_rtt_us < 0) seq_rtt_us = sack_rtt_us;
        if (seq_rtt_us < 0 && work.flags.acked()) {
            seq_rtt_us = tsopt_rtt_us();
            last_rtt_us = seq_rtt_us;
        }
        if (seq_rtt_us > longest_rtt_us || last_rtt_us > longest_rtt_us) return;
        work.rtt_us = last_rtt_us;
        if (seq_rtt_us < 0) return;
        update_rtt_min(last_rtt_us);
        estimator_.add(seq_rtt_us, tp_.snd_una, tp_.snd_nxt);
        tp_.srtt_us = estimator_.srtt_us();
        tp_.rto_us = estimator_.rto_us();
    }

  private:
    // No sender waits for an acknowledgement any longer (twice TCP_RTO_MAX): the clock was set.
    static constexpr int64_t longest_rtt_us = 240'000'000;
    static constexpr int64_t min_rtt_window_us = 300'000'000;  // net.ipv4.tcp_min_rtt_wlen

    // tcp_update_rtt_min(), of the newest sample instead of a windowed filter's best.
    void update_rtt_min(int64_t rtt_us) {
        const bool expired = tp_.now_us - min_rtt_us_at_ > min_rtt_window_us;
        if (rtt_us < 0 || (rtt_us > tp_.min_rtt_us && !expired)) return;
        tp_.min_rtt_us = std::max<int64_t>(1, rtt_us);
        min_rtt_us_at_ = tp_.now_us;
    }

    SenderState& tp_;
    RttEstimator estimator_;
    int64_t min_rtt_us_at_ = 0;
};

}  // namespace sanscope
