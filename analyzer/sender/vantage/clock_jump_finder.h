// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "analyzer/base/serial32.h"
#include "analyzer/vocabulary/clock_jump.h"
#include "analyzer/vocabulary/issues.h"
#include "analyzer/vocabulary/side.h"

namespace sanscope {

// A capture's clock that was set ahead, by what the clocks behind the TSval of both hosts say (RFC 7323 §5.4): nothing passed for a
// while, and by neither of them as much time did. Hosts that were both suspended look the same.
//
// In: each packet of one connection that has the Timestamps option, in the order of the capture. Constant time and memory.
class ClockJumpFinder {
  public:
    static constexpr int64_t least_silence_ns = 250'000'000;

    explicit ClockJumpFinder(uint32_t connection) : connection_(connection) {}

    // A jump that this packet, the first one of the second host behind a silence, shows; nullptr where it does not. Valid until the
    // next call.
    const ClockJump* on_packet(Side from, uint32_t timestamp, PacketNumber packet, int64_t time_ns) {
        if (any_ && time_ns - last_ns_ >= least_silence_ns) [[unlikely]]
            begin_silence(packet, time_ns);
        any_ = true;
        last_ns_ = time_ns;
        Host& host = hosts_[index_of(from)];
        const bool shows = silent_ && host.waits && ends_silence(host, timestamp, time_ns);
        if (!host.any || time_ns < host.last_ns - least_set_back_ns) [[unlikely]]
            host.begin(timestamp, time_ns);
        host.last = timestamp;
        host.last_ns = time_ns;
        return shows ? &jump_ : nullptr;
    }

  private:
    // A tick's length is known to one in a hundred then; what a clock lacks, to a tick.
    static constexpr int64_t least_ticks = 100;
    static constexpr int64_t least_measured_ns = 50'000'000;
    static constexpr double least_silent_ticks = 10;
    static constexpr double most_silent_ticks = 1 << 30;  // beyond, TSval may have come round
    static constexpr int64_t most_silence_ns = int64_t{1} << 58;

    struct Host {
        bool any = false;
        bool waits = false;  // for its first packet behind the silence
        uint32_t first = 0;  // since when its ticks are measured
        uint32_t last = 0;
        int64_t first_ns = 0;
        int64_t last_ns = 0;
        double tick_ns = 0;  // 0: not known

        void begin(uint32_t timestamp, int64_t time_ns) {
            any = true;
            first = last = timestamp;
            first_ns = last_ns = time_ns;
        }
        void measure() {
            const int64_t ticks = Serial32(first).distance_to(Serial32(last));
            if (ticks >= least_ticks && last_ns - first_ns >= least_measured_ns)
                tick_ns = static_cast<double>(last_ns - first_ns) / static_cast<double>(ticks);
        }
    };

    void begin_silence(PacketNumber packet, int64_t time_ns) {
        silent_ = true;
        jump_ = {connection_, last_ns_, time_ns, packet};
        for (Host& host : hosts_) {
            host.waits = host.any;
            silent_ = silent_ && host.any;
        }
        if (jump_.end_ns - jump_.begin_ns > most_silence_ns) silent_ = false;
    }

    // Whether it is the second one for whose clock there was none.
    bool ends_silence(Host& host, uint32_t timestamp, int64_t time_ns) {
        host.measure();
        host.waits = false;
        const auto silence_ns = static_cast<double>(jump_.end_ns - jump_.begin_ns);
        const double ticked_ns =
            static_cast<double>(Serial32(host.last).distance_to(Serial32(timestamp))) * host.tick_ns;
        const double lacking_ns = static_cast<double>(time_ns - host.last_ns) - ticked_ns;
        const bool can_tell = host.tick_ns > 0 && silence_ns >= least_silent_ticks * host.tick_ns &&
                              silence_ns < most_silent_ticks * host.tick_ns;
        const bool stood_still = can_tell && lacking_ns >= silence_ns * .9;
        if (!stood_still) {
            silent_ = false;
            return false;
        }
        host.begin(timestamp, time_ns);
        // It was part of the silence, at most.
        const int64_t began_ns = jump_.end_ns - static_cast<int64_t>(std::min(lacking_ns, silence_ns));
        jump_.begin_ns = std::max(jump_.begin_ns, began_ns);
        if (std::ranges::any_of(hosts_, &Host::waits)) return false;
        silent_ = false;
        return true;
    }

    uint32_t connection_;
    bool any_ = false;
    bool silent_ = false;  // a silence is over, and not both hosts have been heard since
    int64_t last_ns_ = 0;
    ClockJump jump_;
    std::array<Host, 2> hosts_;
};

}  // namespace sanscope
