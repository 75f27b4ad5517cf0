// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>

#include "analyzer/sender/candidates/round_trip_end.h"
#include "analyzer/sender/kernel/sender_state.h"

namespace sanscope {

// How much speaks against a candidate: contradictions add up, in each round trip to 1 at most, so that one misjudged
// moment does not outweigh a connection.
class MismatchScore {
  public:
    void add(const SenderState& state, double amount) {
        enter_round(state);
        round_ = std::min(1.0, round_ + amount);
    }
    // Of these only the greatest of a round trip counts.
    void add_worst(const SenderState& state, double amount) {
        enter_round(state);
        round_ = std::min(1.0, std::max(round_, amount));
    }
    double total() const { return total_ + round_; }
    // The most of one round trip.
    double at_once() const { return std::max(greatest_, round_); }

  private:
    void enter_round(const SenderState& state) {
        if (!round_trip_.next(state)) return;
        total_ += round_;
        greatest_ = std::max(greatest_, round_);
        round_ = 0;
    }

    double total_ = 0;
    double round_ = 0;
    double greatest_ = 0;
    RoundTripEnd round_trip_;
};

}  // namespace sanscope
