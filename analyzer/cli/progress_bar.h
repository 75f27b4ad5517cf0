// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>

#include "analyzer/engine/engine.h"
#include "analyzer/ingest/packet_source.h"

namespace sanscope {

// One line on the terminal that tells how far an analysis is: bytes read of how many, speed, packets.
class ProgressBar {
  public:
    ProgressBar(const PacketSource& source, const Engine& engine) : source_(source), engine_(engine) {}

    // Standard error is a terminal.
    static bool wanted();

    // Redraws, a few times a second at the most; cheap to call.
    void update();
    void clear();

  private:
    using Clock = std::chrono::steady_clock;
    const PacketSource& source_;
    const Engine& engine_;
    Clock::time_point begun_ = Clock::now();
    Clock::time_point next_ = begun_ + std::chrono::milliseconds(300);
    bool drawn_ = false;
};

}  // namespace sanscope
