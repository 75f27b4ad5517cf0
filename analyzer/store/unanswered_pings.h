// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// A NOP-Out or NOP-In that asked for an answer (RFC 7143 §11.18, §11.19) and had none when its connection ended, or
// so late that nobody may have waited for it any more.
struct UnansweredPing {
    PacketNumber packet = 0;
    int64_t time_ns = no_time;
    uint32_t connection = 0;
    Role sender = Role::initiator;
    uint64_t pdus_since = 0;        // of the other side, completed behind it
    int64_t last_pdu_ns = no_time;  // of these, the last one
    int64_t answer_ns = no_time;    // when its answer came, late
    // The same sender's pings that were answered, and how long the slowest of those answers took.
    uint64_t answered = 0;
    int64_t longest_answer_ns = 0;
};

// Those of a whole capture, in bounded memory: of each connection's side the first one, of the first connections.
class UnansweredPings {
  public:
    static constexpr size_t most_kept = 4096;

    void add(const UnansweredPing& ping) {
        if (pings_.size() < most_kept) pings_.push_back(ping);
    }
    const std::vector<UnansweredPing>& first_ones() const { return pings_; }

  private:
    std::vector<UnansweredPing> pings_;
};

}  // namespace sanscope
