// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace sanscope {

// Whether a sender's smoothed round trip is longer while it has more in flight, as a queue is that its own data fill. A path that delays
// packets now and then, or that others fill, has long round trips as well, whatever the sender has in flight.
class RoundTripGrowth {
  public:
    // For so long it had so much in flight, in bytes.
    void add(uint32_t in_flight, int64_t srtt_ns, int64_t time_ns) {
        if (time_ns <= 0) return;
        const auto weight = static_cast<double>(time_ns);
        weights_ += weight;
        const double off_flight = in_flight - flight_mean_;
        const double off_srtt = static_cast<double>(srtt_ns) - srtt_mean_;
        flight_mean_ += off_flight * weight / weights_;
        srtt_mean_ += off_srtt * weight / weights_;
        const double off_srtt_after = static_cast<double>(srtt_ns) - srtt_mean_;
        flight_squares_ += weight * off_flight * (in_flight - flight_mean_);
        srtt_squares_ += weight * off_srtt * off_srtt_after;
        products_ += weight * off_flight * off_srtt_after;
    }
    // The correlation of the two, by time, from -1 to 1; 0 where what was in flight hardly varied, so that nothing shows.
    double correlation() const {
        constexpr double hardly = 0.1;  // of the mean
        if (weights_ <= 0 || srtt_squares_ <= 0) return 0;
        if (std::sqrt(flight_squares_ / weights_) < hardly * flight_mean_) return 0;
        return std::clamp(products_ / std::sqrt(flight_squares_ * srtt_squares_), -1.0, 1.0);
    }

  private:
    // Welford's sums of squares, which are exact where the mean is large.
    double weights_ = 0;
    double flight_mean_ = 0;
    double srtt_mean_ = 0;
    double flight_squares_ = 0;
    double srtt_squares_ = 0;
    double products_ = 0;
};

}  // namespace sanscope
