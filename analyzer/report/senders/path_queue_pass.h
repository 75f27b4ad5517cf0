// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "analyzer/base/serial32.h"
#include "analyzer/report/senders/acked_bursts.h"
#include "analyzer/report/senders/passed_sender.h"

namespace sanscope {

// The time in which a sender's data waited in a queue on the path, and what that let through meanwhile. Out:
// SenderFacts::queued and queued_….
class PathQueuePass {
  public:
    // Most of a jump of the clock lies behind this row.
    void clock_jumped_behind(const WindowRow& last) { srtt_before_jump_ns_ = last.srtt_ns; }
    // Time that is not looked at.
    void pause() { bursts_.pause(); }

    // Between the two rows, with commands under way for `busy_ns`.
    void pass(const PassedSender& sender, const WindowRow& last, const WindowRow& row, int64_t busy_ns) {
        // A mean round trip this many times its minimum has a queue as long as the path, or longer.
        constexpr int64_t queue_factor = 2;
        SenderFacts& facts = *sender.facts;
        const int64_t srtt_ns = srtt_without_jump_ns(last);
        const bool queued =
            srtt_ns != no_time && sender.rtt_min_ns != no_time && srtt_ns / queue_factor >= sender.rtt_min_ns;
        if (!queued || busy_ns == 0) {
            stretch_ns_ = 0;
            stretch_bytes_ = 0;
            bursts_.pause();
            return;
        }
        facts.queued.add(last.time_ns, row.time_ns);
        facts.queued_ns += busy_ns;
        bursts_.on_acknowledged(row);
        srtt_times_ns_ += static_cast<double>(srtt_ns) * static_cast<double>(busy_ns);
        const int32_t acked = Serial32(last.snd_una).distance_to(Serial32(row.snd_una));
        if (acked > 0) facts.queued_bytes += acked;
        // Several round trips, so that bursts even out.
        constexpr int64_t least_stretch_ns = 20'000'000;
        stretch_ns_ += busy_ns;
        stretch_bytes_ += std::max(acked, 0);
        if (stretch_ns_ < std::max(least_stretch_ns, 4 * sender.rtt_min_ns)) return;
        constexpr size_t most_stretches = 4096;
        if (stretch_rates_.size() < most_stretches)
            stretch_rates_.push_back(stretch_bytes_ * 1e9 / static_cast<double>(stretch_ns_));
        stretch_ns_ = 0;
        stretch_bytes_ = 0;
    }

    void finish(const PassedSender& sender) {
        SenderFacts& facts = *sender.facts;
        facts.queued_burst_rate = bursts_.upper_rate();
        if (facts.queued_ns > 0) {
            facts.queued_srtt_ns =
                static_cast<int64_t>(srtt_times_ns_ / static_cast<double>(facts.queued_ns));
        }
        if (stretch_rates_.empty()) return;
        std::ranges::sort(stretch_rates_);
        const double half = stretch_rates_[stretch_rates_.size() / 2];
        facts.queued_stretches = stretch_rates_.size();
        for (const double rate : stretch_rates_)
            facts.queued_stretches_alike += std::abs(rate - half) <= half / 4 ? 1u : 0u;
    }

  private:
    // A round trip across a jump of the clock holds it, and the smoothed one does until it has come down again (RFC 6298 §2.3).
    int64_t srtt_without_jump_ns(const WindowRow& last) {
        if (srtt_before_jump_ns_ == no_time || last.srtt_ns == no_time) return last.srtt_ns;
        if (last.srtt_ns > srtt_before_jump_ns_ + (srtt_before_jump_ns_ / 4)) return srtt_before_jump_ns_;
        srtt_before_jump_ns_ = no_time;
        return last.srtt_ns;
    }

    double srtt_times_ns_ = 0;
    int64_t srtt_before_jump_ns_ = no_time;  // until it is as short again
    int64_t stretch_ns_ = 0;
    double stretch_bytes_ = 0;
    std::vector<double> stretch_rates_;
    AckedBursts bursts_;
};

}  // namespace sanscope
