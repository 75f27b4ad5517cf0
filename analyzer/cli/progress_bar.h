// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>

#include "analyzer/ingest/packet_source.h"

namespace sanscope {

// One line on the terminal that tells how far an analysis is: bytes read of how many, speed, packets.
class ProgressBar {
  public:
    explicit ProgressBar(const PacketSource& source) : source_(source) {}

    // Standard error is a terminal.
    static bool wanted();

    // `packets` were read so far. Redraws, a few times a second at the most; cheap to call.
    void update(uint64_t packets);
    void clear();

  private:
    using Clock = std::chrono::steady_clock;
    const PacketSource& source_;
    Clock::time_point begun_ = Clock::now();
    Clock::time_point next_ = begun_ + std::chrono::milliseconds(300);
    bool drawn_ = false;
};

}  // namespace sanscope
