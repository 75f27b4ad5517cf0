// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>

#include "analyzer/base/log_histogram.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// How much longer than the shortest way a connection's packets take now and then, without a queue that shows: what one in ten first
// bytes of answers was late by. Nobody sees how late the requests were; the way there is taken to be as uneven as the way back.
class PathJitter {
  public:
    // Less is within what is known of when an answer was sent: a tick of TSval, mostly.
    static constexpr int64_t least_ns = 1'000'000;
    // More is made up, by times that cannot be.
    static constexpr int64_t longest_ns = 60'000'000'000;

    // An answer of the connection was late by so much, as answer_delay_ns() has it; no_time says nothing.
    void add(ConnectionNumber connection, int64_t delay_ns);
    // To be called between the last add() and the first question.
    void finish();
    // longest_ns at the most; 0 where it is less than least_ns, or too few answers show it.
    int64_t of(ConnectionNumber connection) const;

  private:
    std::map<uint32_t, LogHistogram> delays_;  // by connection
    std::map<uint32_t, int64_t> jitter_ns_;    // of connections where it is not 0
};

}  // namespace sanscope
