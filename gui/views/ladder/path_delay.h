// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/store/result_store.h"

namespace sanscope {

// The two ends of a packet's way, nanoseconds since the epoch.
struct PacketTransit {
    int64_t left_ns = 0;     // its sender
    int64_t arrival_ns = 0;  // at its receiver
    bool operator==(const PacketTransit&) const = default;
};

// How far the two ends of a connection are from where the capture was taken: a packet was at the tap when its record says
// so, and at the ends before and after by these. Half of the least round trip each way, which is what it takes when no queue
// is on the way.
struct PathDelay {
    int64_t to_initiator_ns = 0;  // from the tap, never negative
    int64_t to_target_ns = 0;
    Vantage vantage = Vantage::unknown;  // as found; unknown is taken for the initiator's end
    bool measured = false;               // a round trip was

    // Of a connection that the store has (1-based).
    static PathDelay of(const ResultStore& store, uint32_t connection);

    // Of the one point of two that is open: the least time there and back between them, halved.
    static PathDelay between(int64_t round_trip_ns, bool here_is_initiator);

    // Where the tap is on the way from the initiator (0) to the target (1).
    double tap() const { return vantage == Vantage::target ? 1 : vantage == Vantage::middle ? 0.5 : 0; }
    int64_t one_way_ns() const { return to_initiator_ns + to_target_ns; }
    PacketTransit transit(Role sender, int64_t captured_ns) const {
        return sender == Role::initiator
                   ? PacketTransit{captured_ns - to_initiator_ns, captured_ns + to_target_ns}
                   : PacketTransit{captured_ns - to_target_ns, captured_ns + to_initiator_ns};
    }
};

}  // namespace sanscope
