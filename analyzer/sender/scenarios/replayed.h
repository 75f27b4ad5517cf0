// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/sender/testing/simulation.h"
#include "analyzer/store/result_store.h"

namespace sanscope::simulated {

std::string in_words(CaState state);
std::string in_words(SendLimit limit);
std::string control_name(
    const testing::TestParamInfo<SimulatedSender::Control>& info);  // of a parameterised test

// What SenderReplay made of the events of one sender.
class Replayed {
  public:
    Replayed(const std::vector<SenderEvent>& events, const SenderOptions& options);
    explicit Replayed(const Simulation& simulation)
        : Replayed(simulation.events(), simulation.sender_options()) {}

    // The row that holds after that packet; none before the first.
    std::optional<WindowRow> window_after(PacketNumber packet) const;
    // In segments, rounded; unknown where the row does not say.
    uint32_t cwnd_after(PacketNumber packet) const {
        return segments(window_after(packet), &WindowRow::cwnd);
    }
    uint32_t ssthresh_after(PacketNumber packet) const {
        return segments(window_after(packet), &WindowRow::ssthresh);
    }
    CaState state_after(PacketNumber packet) const;

    std::vector<TrueTransition> transitions() const;
    uint64_t losses(LossKind kind) const { return store_.senders()[0].losses(kind); }
    uint64_t losses() const;
    const SenderSummary& summary() const { return store_.senders()[0]; }
    const ResultStore& store() const { return store_; }
    const char* congestion_control() const { return store_.senders()[0].congestion_control(); }

  private:
    uint32_t segments(const std::optional<WindowRow>& row, uint32_t WindowRow::*field) const;

    ResultStore store_{{}};
    uint32_t mss_;
};

// Which part of a simulation is compared, and how closely: after those packets, leaving out what the wire cannot show.
struct Closely {
    double segments = 0;  // the distance allowed
    double share = 0;     // or as a share of the truth, whichever is more
    int64_t from_ns = 0;  // since the end of the handshake
    int64_t to_ns = std::numeric_limits<int64_t>::max();
};

// Same states, in the same order, each at the same packet.
testing::AssertionResult same_transitions(const Simulation& simulation, const Replayed& replayed);
// cwnd after every event.
testing::AssertionResult same_cwnd(const Simulation& simulation, const Replayed& replayed,
                                   const Closely& closely = {});
// ssthresh after every event; none yet is unknown.
testing::AssertionResult same_ssthresh(const Simulation& simulation, const Replayed& replayed,
                                       const Closely& closely = {});
// The truth lies between cwnd_low and cwnd_high after at least that share of the events. CUBIC's curve in the
// simulation is the RFC's, Linux's is made of integers: a segment of `slack` where that is replayed.
testing::AssertionResult interval_holds(const Simulation& simulation, const Replayed& replayed,
                                        double share = 0.85, uint32_t slack = 0);
// What keeps the sender from sending, at the end of each moment.
testing::AssertionResult same_limit(const Simulation& simulation, const Replayed& replayed, double share = 1,
                                    const Closely& closely = {});
// Likewise, and where nothing is said of it, that is right as well.
testing::AssertionResult no_false_limit(const Simulation& simulation, const Replayed& replayed,
                                        double share = 1, const Closely& closely = {});

}  // namespace sanscope::simulated
