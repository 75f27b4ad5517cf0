// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/base/serial32.h"

namespace sanscope {

// The smoothed round trip time and the retransmission timeout, in Linux's fixed-point arithmetic (tcp_rtt_estimator and
// tcp_set_rto of tcp_input.c; RFC 6298 with a floor of 200 ms under the variance and its decay once a round trip).
class RttEstimator {
  public:
    // `sample_us` ≥ 0. `snd_una` and `snd_nxt` are those after the acknowledgement that gave the sample.
    void add(int64_t sample_us, Serial32 snd_una, Serial32 snd_nxt);

    bool measured() const { return srtt8_us_ != 0; }
    int64_t srtt_us() const { return srtt8_us_ >> 3; }
    int64_t rto_us() const;  // without backoff

    static constexpr int64_t rto_min_us = 200'000;
    static constexpr int64_t rto_max_us = 120'000'000;

  private:
    int64_t srtt8_us_ = 0;  // eight times the smoothed round trip
    int64_t mdev4_us_ = 0;  // four times the mean deviation
    int64_t mdev_max_us_ = 0;
    int64_t rttvar_us_ = 0;
    Serial32 round_end_;
};

}  // namespace sanscope
