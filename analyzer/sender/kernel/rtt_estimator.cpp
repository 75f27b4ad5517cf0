// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/kernel/rtt_estimator.h"

#include <algorithm>

namespace sanscope {

void RttEstimator::add(int64_t sample_us, Serial32 snd_una, Serial32 snd_nxt) {
    if (srtt8_us_ == 0) {
        srtt8_us_ = std::max<int64_t>(1, sample_us << 3);
        mdev4_us_ = sample_us << 1;
        rttvar_us_ = std::max(mdev4_us_, rto_min_us);
        mdev_max_us_ = rttvar_us_;
        round_end_ = snd_nxt;
        return;
    }
    const int64_t error_us = sample_us - (srtt8_us_ >> 3);
    srtt8_us_ = std::max<int64_t>(1, srtt8_us_ + error_us);
    int64_t growth_us = (error_us < 0 ? -error_us : error_us) - (mdev4_us_ >> 2);
    if (error_us < 0 && growth_us > 0) growth_us >>= 3;
    mdev4_us_ += growth_us;
    if (mdev4_us_ > mdev_max_us_) {
        mdev_max_us_ = mdev4_us_;
        rttvar_us_ = std::max(rttvar_us_, mdev_max_us_);
    }
    if (snd_una.after(round_end_)) {
        if (mdev_max_us_ < rttvar_us_) rttvar_us_ -= (rttvar_us_ - mdev_max_us_) >> 2;
        round_end_ = snd_nxt;
        mdev_max_us_ = rto_min_us;
    }
}

int64_t RttEstimator::rto_us() const {
    if (!measured()) return 1'000'000;
    return std::min((srtt8_us_ >> 3) + rttvar_us_, rto_max_us);
}

}  // namespace sanscope
