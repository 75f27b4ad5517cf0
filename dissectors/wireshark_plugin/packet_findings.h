// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyzer/engine/engine.h"
#include "analyzer/report/findings.h"

namespace sanscope::wireshark {

// The findings of a capture by the packet that each points to. Knows nothing of Wireshark's API.
class PacketFindings {
  public:
    struct OfPacket {
        PacketNumber packet = 0;
        Finding finding;    // its texts without control characters
        std::string label;  // "Problem: title"
    };

    // Of an engine that has finished; once.
    void find(const Engine& engine);
    bool are_found() const { return found_; }
    void clear();

    // In order of weight; they stay where they are until clear().
    std::span<const OfPacket> of(PacketNumber packet) const;

  private:
    std::vector<OfPacket> findings_;  // by packet
    bool found_ = false;
};

}  // namespace sanscope::wireshark
