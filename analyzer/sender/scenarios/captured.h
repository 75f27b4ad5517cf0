// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "analyzer/sender/testing/simulation.h"
#include "analyzer/store/result_store.h"

namespace sanscope::simulated {

// What ConnectionSenders makes of a capture of the simulated connection: the segments with their headers and options,
// as a tap saw them. The sender of the data is the connection's side A.
class Captured {
  public:
    // Of the TCP options no more than `most_options` bytes were captured.
    Captured(const Simulation& simulation, const std::vector<TappedSegment>& tap, size_t most_options = 40);

    // Of the sender of the data; nullptr where nothing is known of it.
    const SenderSummary* sender() const;
    std::vector<TrueTransition> transitions() const;
    // The last of its rows at or before that moment; none before the first.
    std::optional<WindowRow> window_at(int64_t time_ns) const;
    const ResultStore& store() const { return store_; }

  private:
    ResultStore store_{{}};
    std::vector<WindowRow> windows_;  // of the sender of the data
};

}  // namespace sanscope::simulated
