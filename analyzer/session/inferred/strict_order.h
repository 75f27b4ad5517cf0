// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/base/serial32.h"

namespace sanscope {

// Whether a target answers one connection's commands strictly one after the other, as some do that serve each
// connection from one thread. Then the n-th status is that of the n-th command: between a status's place and its
// command's CmdSN there is always the same distance. A single status at another distance, and it does not.
class StrictOrder {
  public:
    // So many statuses in their place say that a target which answers out of order would have been found out: of one
    // that exchanges three commands in a hundred, fewer than one in ten goes on that long.
    static constexpr uint32_t enough = 90;

    // Of a command that is not immediate: so many answers to such as count by CmdSN have come, this one included.
    void on_status(Serial32 cmd_sn, uint64_t answers) {
        const Serial32 distance(cmd_sn.value - static_cast<uint32_t>(answers));
        if (kept_ > 0 && distance != distance_) broken_ = true;
        distance_ = distance;
        ++kept_;
    }
    // Statuses came that nobody can count, or that contradict the order.
    void on_contradiction() { broken_ = true; }

    // Whose turn it is, so many answers to such commands having come with this one.
    bool anchored() const { return kept_ > 0; }
    Serial32 turn_of(uint64_t answers) const { return distance_ + static_cast<uint32_t>(answers); }

    bool broken() const { return broken_; }
    bool believed() const { return !broken_ && kept_ >= enough; }

  private:
    Serial32 distance_;
    uint32_t kept_ = 0;
    bool broken_ = false;
};

}  // namespace sanscope
