// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/report/senders/sender_facts.h"

namespace sanscope {

// What was in flight of several senders together when they lost segments, against what was when they sent. A queue overflows
// when it is full: then losses come while more is in flight than usual. A path that loses by itself loses whenever something
// passes, in bursts or not.
struct InFlightRanks {
    uint64_t losses = 0;  // that have a rank
    double mean =
        0.5;  // of 0 … 1: the part of what was sent with less in flight; 0.5 of losses that know nothing of it

    // Beyond what chance makes of as many.
    bool are_of_full_queue() const;
};

// `loss_times_ns`: in order. Needs the table `windows`.
InFlightRanks in_flight_ranks(const ResultStore& store, std::span<const SenderFacts* const> senders,
                              std::span<const int64_t> loss_times_ns, const Stop& stop);

}  // namespace sanscope
