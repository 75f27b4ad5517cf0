// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "analyzer/budget/sender_time.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// When connections had more under way than fits onto their path: the packets of others of the same hosts may have stood behind it,
// in the same queue.
class PathQueues {
  public:
    // Shorter queues are not worth a doubt.
    static constexpr int64_t least_ns = 1'000'000;

    // What a sender of the connection had outstanding; nullptr: one that sent nothing.
    void add(const ConnectionRow& row, ConnectionNumber connection, const SenderTime* sender);
    // To be called between the last add() and the first question.
    void finish();
    // Whether a command of that connection can be held up so long on the way that queues may tell of, seen from where it was captured.
    static bool may_hold_up(const CommandRow& command, const ConnectionRow& row);
    // How long, at most, other connections of one of its two hosts queued while it was under way; 0: none did, or it was not held up
    // so long.
    int64_t longest_of_others_ns(const CommandRow& command, const ConnectionRow& row) const;

  private:
    static constexpr uint32_t several = 0;
    struct Stretch {
        int64_t begin_ns;
        int64_t end_ns;
        int64_t longest_ns;
        uint32_t connection;  // or several
    };
    // In order of time; behind finish() apart from each other.
    using Stretches = std::vector<Stretch>;

    static Stretches apart(const Stretches& stretches);
    static int64_t longest_ns(const Stretches& stretches, uint32_t but_of, int64_t begin_ns, int64_t end_ns);

    std::map<std::array<uint64_t, 2>, Stretches> by_host_;  // by the words of its address
};

}  // namespace sanscope
