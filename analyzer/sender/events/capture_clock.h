// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "analyzer/base/reachable_time.h"
#include "analyzer/vocabulary/issues.h"

namespace sanscope {

// The capture's clock as one connection has it, made to go on where it was set back: all that is measured against time rests on
// times that do not run backwards. What passed while it was set, no clock tells; it is taken to be `passed_ns`.
//
// Packets of two interfaces may stand a little out of order, and one packet may have a wrong time: neither is a clock that was set.
// Memory and time are constant: beyond `most_steps`, or `most_ns` in all, times are taken as they come.
class CaptureClock {
  public:
    static constexpr size_t most_steps = most_set_back;
    static constexpr int64_t most_ns = int64_t{1} << 61;  // 73 years: no sum leaves the reach of 64 bits
    static constexpr int64_t most_passed_ns = 1'000'000'000;

    // A packet's time, in the order of the capture; times are within_reach(). Less by least_set_back_ns or more than one before only
    // where it is one packet's that is wrong, or beyond `most_steps`. `shown`: that the clock was set back before this packet, by
    // however little, shows otherwise.
    int64_t continuous(int64_t captured_ns, int64_t passed_ns, bool shown = false) {
        const int64_t time_ns = within_reach(captured_ns + offset_ns_);
        if (time_ns < last_ns_ - least_set_back_ns) [[unlikely]]
            return step_back(captured_ns, passed_ns, 0);
        if (shown && time_ns < last_ns_) [[unlikely]]
            return step_back(captured_ns, passed_ns, lone_packets);
        if (packets_since_step_ < lone_packets) [[unlikely]]
            return just_behind_step(captured_ns);
        if (time_ns > last_ns_) last_ns_ = time_ns;
        return time_ns;
    }
    // What the capture's clock said at a moment of the continuous time; between a packet before a step and the first one behind
    // it, by the clock before.
    int64_t captured(int64_t continuous_ns) const {
        size_t i = steps_;
        while (i > 0 && continuous_ns < steps_at_[i - 1].at_ns) --i;
        return continuous_ns - (i == 0 ? 0 : steps_at_[i - 1].offset_ns);
    }

  private:
    // So many packets with wrong times are not a clock that was set.
    static constexpr uint32_t lone_packets = 3;
    struct Step {
        int64_t at_ns = 0;      // continuous time of the first packet behind it
        int64_t offset_ns = 0;  // from the capture's time to the continuous one, from there on
        int64_t before_ns = 0;  // continuous time of the last packet before it
    };

    // `believed`: as if so many packets had come behind the step.
    int64_t step_back(int64_t captured_ns, int64_t passed_ns, uint32_t believed) {
        const int64_t at_ns = last_ns_ + std::clamp(passed_ns, int64_t{0}, most_passed_ns);
        if (steps_ == most_steps || captured_ns < at_ns - most_ns)
            return within_reach(captured_ns + offset_ns_);
        Step& step = steps_at_[steps_++];
        step.before_ns = last_ns_;
        step.at_ns = within_reach(at_ns);
        step.offset_ns = step.at_ns - captured_ns;
        offset_ns_ = step.offset_ns;
        last_ns_ = step.at_ns;
        packets_since_step_ = believed;
        return step.at_ns;
    }
    // Times go on as if there had been no step: then there was none.
    int64_t just_behind_step(int64_t captured_ns) {
        ++packets_since_step_;
        const Step& step = steps_at_[steps_ - 1];
        const int64_t offset_before_ns = steps_ < 2 ? 0 : steps_at_[steps_ - 2].offset_ns;
        if (captured_ns + offset_before_ns >= step.before_ns - least_set_back_ns) {
            --steps_;
            offset_ns_ = offset_before_ns;
            last_ns_ = step.before_ns;
            packets_since_step_ = lone_packets;
        }
        const int64_t time_ns = within_reach(captured_ns + offset_ns_);
        if (time_ns > last_ns_) last_ns_ = time_ns;
        return time_ns;
    }

    int64_t offset_ns_ = 0;
    int64_t last_ns_ = -(int64_t{1} << 62);
    uint32_t packets_since_step_ = lone_packets;
    size_t steps_ = 0;
    std::array<Step, most_steps> steps_at_{};
};

}  // namespace sanscope
