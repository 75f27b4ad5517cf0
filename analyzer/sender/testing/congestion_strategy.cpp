// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/sender/testing/congestion_strategy.h"

#include <algorithm>
#include <cmath>

#include "analyzer/sender/testing/virtual_time.h"

namespace sanscope::simulated {
namespace {

// RFC 5681 §3.1 with appropriate byte counting (RFC 3465) of whole segments. Returns the segments that are left when
// the threshold is reached.
uint32_t slow_start(CongestionWindow& window, uint32_t segments) {
    const uint32_t used = std::min(segments, window.ssthresh - window.cwnd);
    window.cwnd += used;
    return segments - used;
}

// One segment more for every `per_segment` acknowledged, the rest carried over.
class AdditiveIncrease {
  public:
    void add(CongestionWindow& window, uint32_t segments, uint32_t per_segment) {
        // A divisor that fell under what has gathered gives one segment, not many.
        if (gathered_ >= per_segment) {
            gathered_ = 0;
            ++window.cwnd;
        }
        gathered_ += segments;
        window.cwnd += gathered_ / per_segment;
        gathered_ %= per_segment;
    }
    void clear() { gathered_ = 0; }

  private:
    uint32_t gathered_ = 0;
};

class Reno : public CongestionStrategy {
  public:
    void grow(CongestionWindow& window, uint32_t segments, const Moment&) override {
        if (window.in_slow_start()) segments = slow_start(window, segments);
        if (segments > 0) increase_.add(window, segments, window.cwnd);
    }
    uint32_t reduced(uint32_t cwnd) override {
        increase_.clear();
        return std::max(cwnd / 2, 2u);
    }

  private:
    AdditiveIncrease increase_;
};

// tcp_cubic.c's own variant of RFC 9406: slow start ends where the delay of a round rises, or where the
// acknowledgements of one round, arriving back to back, span as long as half the shortest delay.
class HyStart {
  public:
    bool finds_the_path_full(uint32_t window, int64_t rtt_ns, int64_t shortest_ns,
                             const CongestionStrategy::Moment& moment) {
        if (!in_round_ || round_end_.before(moment.snd_una)) begin_round(moment);
        if (window < window_wanted) return false;
        if (moment.now_ns - last_ack_ns_ <= train_gap_ns) {
            last_ack_ns_ = moment.now_ns;
            if (moment.now_ns - round_start_ns_ > (shortest_ns + burst_allowance_ns) / 2) return true;
        }
        shortest_of_round_ns_ = std::min(shortest_of_round_ns_, rtt_ns);
        if (samples_ < samples_wanted) {
            ++samples_;
            return false;
        }
        const int64_t rise_ns = std::clamp(shortest_ns / 8, 4 * millisecond, 16 * millisecond);
        return shortest_of_round_ns_ > shortest_ns + rise_ns;
    }
    void restart() { in_round_ = false; }

  private:
    static constexpr uint32_t window_wanted = 16;  // segments
    static constexpr int64_t train_gap_ns = 2 * millisecond;
    static constexpr int64_t burst_allowance_ns = 1 * millisecond;  // for acknowledgements of whole bursts
    static constexpr int samples_wanted = 8;

    void begin_round(const CongestionStrategy::Moment& moment) {
        in_round_ = true;
        round_start_ns_ = last_ack_ns_ = moment.now_ns;
        round_end_ = moment.snd_nxt;
        shortest_of_round_ns_ = std::numeric_limits<int64_t>::max();
        samples_ = 0;
    }

    bool in_round_ = false;
    Serial32 round_end_;
    int64_t round_start_ns_ = 0;
    int64_t last_ack_ns_ = 0;
    int64_t shortest_of_round_ns_ = 0;
    int samples_ = 0;
};

class Cubic : public CongestionStrategy {
  public:
    explicit Cubic(bool hystart) : use_hystart_(hystart) {}

    void on_round_trip(CongestionWindow& window, int64_t rtt_ns, const Moment& moment) override {
        // The first second of an epoch is not trusted to show the path's own delay.
        if (in_epoch_ && moment.now_ns - epoch_start_ns_ < second) return;
        shortest_ns_ = std::min(shortest_ns_, rtt_ns);
        if (!use_hystart_ || path_is_full_ || !window.in_slow_start()) return;
        if (hystart_.finds_the_path_full(window.cwnd, rtt_ns, shortest_ns_, moment)) {
            path_is_full_ = true;
            window.ssthresh = window.cwnd;
        }
    }

    void grow(CongestionWindow& window, uint32_t segments, const Moment& moment) override {
        if (window.in_slow_start()) segments = slow_start(window, segments);
        if (segments > 0)
            increase_.add(window, segments, segments_for_one_more(window, segments, moment.now_ns));
    }

    uint32_t reduced(uint32_t cwnd) override {
        in_epoch_ = false;
        increase_.clear();
        // RFC 9438 §4.7: a flow that did not get back to where it was leaves room for others.
        window_max_ = cwnd < window_max_ ? cwnd * (1 + beta) / 2 : cwnd;
        window_max_ = std::floor(window_max_);
        return std::max(static_cast<uint32_t>(cwnd * beta), 2u);
    }

    void on_timeout() override {
        in_epoch_ = false;
        window_max_ = 0;
        path_is_full_ = false;
        shortest_ns_ = std::numeric_limits<int64_t>::max();
        hystart_.restart();
    }

    // RFC 9438 §5.8: time in which nothing was sent is no time for the curve.
    void on_send_after_idle(int64_t idle_ns, const Moment&) override {
        if (in_epoch_) epoch_start_ns_ += idle_ns;
    }

  private:
    static constexpr double beta = 717.0 / 1024;
    static constexpr double c = 0.4;

    uint32_t segments_for_one_more(const CongestionWindow& window, uint32_t segments, int64_t now_ns) {
        const double cwnd = window.cwnd;
        acked_in_epoch_ += segments;
        if (!in_epoch_) {
            in_epoch_ = true;
            epoch_start_ns_ = now_ns;
            acked_in_epoch_ = segments;
            reno_estimate_ = cwnd;
            origin_ = std::max(window_max_, cwnd);
            k_seconds_ = std::cbrt((origin_ - cwnd) / c);
        }
        // Where no round trip has been measured since the last timeout, none is added.
        const int64_t ahead_ns = shortest_ns_ == std::numeric_limits<int64_t>::max() ? 0 : shortest_ns_;
        const double t = static_cast<double>(now_ns - epoch_start_ns_ + ahead_ns) / second;
        const double target = origin_ + c * std::pow(t - k_seconds_, 3);
        double for_one = target > cwnd ? cwnd / (target - cwnd) : 100 * cwnd;
        // With no maximum known yet, the search is no slower than 5 % a round trip.
        if (window_max_ == 0) for_one = std::min(for_one, 20.0);
        // RFC 9438 §4.3: α = 3(1-β)/(1+β) of a segment a window.
        const double reno_step = cwnd * (1 + beta) / (3 * (1 - beta));
        while (acked_in_epoch_ > reno_step) {
            acked_in_epoch_ -= reno_step;
            ++reno_estimate_;
        }
        if (reno_estimate_ > cwnd) for_one = std::min(for_one, cwnd / (reno_estimate_ - cwnd));
        // Never faster than half of slow start, and for a number that fits.
        return static_cast<uint32_t>(std::clamp(for_one, 2.0, 1e9));
    }

    AdditiveIncrease increase_;
    HyStart hystart_;
    bool use_hystart_;
    bool path_is_full_ = false;
    bool in_epoch_ = false;
    int64_t epoch_start_ns_ = 0;
    int64_t shortest_ns_ = std::numeric_limits<int64_t>::max();
    double window_max_ = 0;
    double origin_ = 0;
    double k_seconds_ = 0;
    double acked_in_epoch_ = 0;
    double reno_estimate_ = 0;
};

class SharedReno : public CongestionStrategy {
  public:
    explicit SharedReno(uint32_t connections) : connections_(connections) {}

    void grow(CongestionWindow& window, uint32_t segments, const Moment&) override {
        if (window.in_slow_start()) segments = slow_start(window, segments);
        if (segments > 0) increase_.add(window, segments, window.cwnd * connections_);
    }
    uint32_t reduced(uint32_t cwnd) override {
        increase_.clear();
        return std::max(cwnd / 2, 2u);
    }

  private:
    uint32_t connections_;
    AdditiveIncrease increase_;
};

class Vegas : public CongestionStrategy {
  public:
    void on_round_trip(CongestionWindow&, int64_t rtt_ns, const Moment&) override {
        shortest_ns_ = std::min(shortest_ns_, rtt_ns);
        shortest_of_round_ns_ = std::min(shortest_of_round_ns_, rtt_ns);
    }
    void grow(CongestionWindow& window, uint32_t segments, const Moment& moment) override {
        const bool round_is_over = !moment.snd_una.before(round_end_) || !in_round_;
        if (!round_is_over) {
            if (window.in_slow_start()) slow_start(window, segments);
            return;
        }
        const double queued = window.cwnd * (1 - static_cast<double>(shortest_ns_) /
                                                     static_cast<double>(shortest_of_round_ns_));
        in_round_ = true;
        round_end_ = moment.snd_nxt;
        shortest_of_round_ns_ = std::numeric_limits<int64_t>::max();
        if (window.in_slow_start() && queued <= 1) {
            slow_start(window, segments);
        } else if (window.in_slow_start()) {
            window.ssthresh = window.cwnd;
        } else if (queued < 2) {
            ++window.cwnd;
        } else if (queued > 4 && window.cwnd > 2) {
            --window.cwnd;
            window.ssthresh = std::min(window.ssthresh, window.cwnd);
        }
    }
    uint32_t reduced(uint32_t cwnd) override { return std::max(cwnd / 2, 2u); }

  private:
    bool in_round_ = false;
    Serial32 round_end_;
    int64_t shortest_ns_ = std::numeric_limits<int64_t>::max();
    int64_t shortest_of_round_ns_ = std::numeric_limits<int64_t>::max();
};

}  // namespace

std::unique_ptr<CongestionStrategy> make_shared_reno(uint32_t connections) {
    return std::make_unique<SharedReno>(connections);
}

std::unique_ptr<CongestionStrategy> make_vegas() {
    return std::make_unique<Vegas>();
}

std::unique_ptr<CongestionStrategy> make_reno() {
    return std::make_unique<Reno>();
}

std::unique_ptr<CongestionStrategy> make_cubic(bool hystart) {
    return std::make_unique<Cubic>(hystart);
}

}  // namespace sanscope::simulated
