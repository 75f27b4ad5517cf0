// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// A PDU that took long from its first byte to its last, or that came long after the one it completes: its sender had begun to
// send, had all that was left, and paused.
struct PduPause {
    uint32_t connection = 0;
    Role sender = Role::initiator;
    PacketNumber first_packet = 0;  // the pause lies between this one …
    PacketNumber last_packet = 0;   // … and this one
};

// Those of a whole capture, in bounded memory: the first ones.
class PduPauses {
  public:
    static constexpr size_t most_kept = 16384;
    static constexpr int64_t least_ns =
        30'000'000;  // shorter than the least delayed acknowledgement of any stack

    void add(const PduPause& pause) {
        if (pauses_.size() < most_kept) pauses_.push_back(pause);
    }
    // Those of one sender, in order of their last packets.
    std::vector<PduPause> of(uint32_t connection, Role sender) const {
        std::vector<PduPause> own;
        std::ranges::copy_if(pauses_, std::back_inserter(own), [=](const PduPause& pause) {
            return pause.connection == connection && pause.sender == sender;
        });
        std::ranges::sort(own, {}, &PduPause::last_packet);
        return own;
    }

  private:
    std::vector<PduPause> pauses_;
};

}  // namespace sanscope
