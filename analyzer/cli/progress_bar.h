// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "analyzer/ingest/packet_source.h"

namespace sanscope {

// One line on the terminal that shows how far long work is.
class ProgressBar {
  public:
    // Of reading a capture: bytes of how many, speed, packets.
    explicit ProgressBar(const PacketSource& source) : source_(&source) {}
    // Of anything that counts packets.
    ProgressBar() = default;

    // Standard error is a terminal.
    static bool wanted();

    // `packets` were read so far. Redraws, a few times a second at the most; cheap to call.
    void update(uint64_t packets);
    void update(uint64_t packets, uint64_t of, std::string_view what);
    void clear();

  private:
    using Clock = std::chrono::steady_clock;
    bool due(Clock::time_point now);
    static std::string bar(uint64_t done, uint64_t of);

    const PacketSource* source_ = nullptr;
    Clock::time_point begun_ = Clock::now();
    Clock::time_point next_ = begun_ + std::chrono::milliseconds(300);
    bool drawn_ = false;
};

}  // namespace sanscope
