// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace sanscope {

// From the kernel's clocks to CLOCK_REALTIME, with which it stamps packets.
//
// CLOCK_TAI is CLOCK_REALTIME and whole seconds: a step of the clock moves both at once, so that times told in it need
// nothing but those seconds. CLOCK_MONOTONIC is never stepped: what is reported in it follows a step when update() next
// runs. Slewing, as NTP does, moves all three alike.
class ClockOffsets {
  public:
    // Measures both. Cheap: a few readings of clocks, no system call.
    void update();

    // The moment that the clocks told as these, in nanoseconds since the epoch; CLOCK_TAI's is 0 where it is not known.
    int64_t real_ns(uint64_t monotonic_ns, uint64_t tai_ns) const;

    // CLOCK_MONOTONIC now, in nanoseconds.
    static uint64_t monotonic_now_ns();

    // For tests: as if measured.
    static ClockOffsets fixed(int64_t real_minus_monotonic_ns, int64_t real_minus_tai_ns);

  private:
    int64_t real_minus_monotonic_ns_ = 0;
    int64_t error_ns_ = -1;  // of the former, at most; -1 where nothing was measured
    int64_t real_minus_tai_ns_ = 0;
};

}  // namespace sanscope
