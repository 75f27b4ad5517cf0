// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/base/time_spans.h"

namespace sanscope {

// Finds out whether the packets of one direction were stamped in batches, as a driver or a virtual machine that stood still hands them
// over, instead of as they came: within microseconds of each other by the capture, though their sender's own clock, the TSval of
// RFC 7323 §3.2, went on by far more meanwhile. A queue on the path that empties looks the same; it does so in one direction alone.
class StampBatches {
  public:
    // The next segment with a TCP timestamp, at `time_ns` of the capture.
    void note(int64_t time_ns, uint32_t tsval) {
        // Earlier ones are far apart, too.
        const uint64_t apart_ns = static_cast<uint64_t>(time_ns) - static_cast<uint64_t>(last_ns_);
        if (!begun_ || apart_ns > most_apart_ns) end_burst(time_ns, tsval);
        last_ns_ = time_ns;
        last_tsval_ = tsval;
        ++packets_;
    }
    // How far batches are apart, ns, at least as far as the sender's clock tells; 0: packets were stamped one by one, or there is too
    // little to tell by. Of a direction that has not ended, without its last burst.
    int64_t interval_ns() const {
        const uint64_t others = bursts_ - batches_;
        const bool shows = batches_ >= many_batches ? others <= batches_
                                                    : batches_ >= least_batches && 4 * others <= batches_;
        return shows ? sum_ns_ / batches_ : 0;
    }

  private:
    static constexpr uint64_t most_apart_ns = 200'000;
    static constexpr uint32_t least_batches = 6;  // where nearly all bursts are
    static constexpr uint32_t many_batches = 16;
    // The length of the sender's tick is known by then to a few of a hundred.
    static constexpr int32_t least_ticks = 50;
    static constexpr int64_t longest_tick_ns = 1'000'000'000;  // RFC 7323 §5.4
    static constexpr int64_t longest_ns = 10'000'000'000;

    // The next one begins so.
    [[gnu::noinline]] void end_burst(int64_t time_ns, uint32_t tsval) {
        const auto all_ticks = static_cast<int32_t>(last_tsval_ - first_tsval_);
        const auto ticks = static_cast<int32_t>(last_tsval_ - begin_tsval_);
        if (!begun_) {
            begun_ = true;
            first_ns_ = time_ns;
            first_tsval_ = tsval;
        } else if (packets_ > 1 && all_ticks >= least_ticks && ticks >= 0 && ticks < all_ticks) {
            const int64_t tick_ns = elapsed_ns(first_ns_, last_ns_) / all_ticks;
            ++bursts_;
            // Two TSvals that differ by n are more than n - 1 ticks apart.
            const int64_t least_ns = tick_ns > longest_tick_ns ? 0 : (ticks - 1) * tick_ns;
            if (least_ns >= static_cast<int64_t>(most_apart_ns) && least_ns <= longest_ns &&
                least_ns > 4 * elapsed_ns(begin_ns_, last_ns_)) {
                ++batches_;
                sum_ns_ += ticks * tick_ns;
            }
        }
        begin_ns_ = time_ns;
        begin_tsval_ = tsval;
        packets_ = 0;
    }

    int64_t first_ns_ = 0;
    int64_t begin_ns_ = 0;  // of the burst
    int64_t last_ns_ = 0;
    int64_t sum_ns_ = 0;  // of the batches' lengths by the sender's clock
    uint32_t first_tsval_ = 0;
    uint32_t begin_tsval_ = 0;
    uint32_t last_tsval_ = 0;
    uint32_t packets_ = 0;  // of the burst
    uint32_t bursts_ = 0;   // of two packets and more
    uint32_t batches_ = 0;
    bool begun_ = false;
};

}  // namespace sanscope
