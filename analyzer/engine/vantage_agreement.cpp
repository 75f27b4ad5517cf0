// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/engine/vantage_agreement.h"

#include <array>
#include <cstdint>
#include <map>
#include <utility>

namespace sanscope {
namespace {

using Words = std::array<uint64_t, 2>;

struct AtHosts {
    uint64_t low = 0;
    uint64_t high = 0;
};

bool at_an_end(const ConnectionRow& connection) {
    return connection.vantage == Vantage::initiator || connection.vantage == Vantage::target;
}

struct Placed {
    std::pair<Words, Words> hosts;
    bool at_low = false;
};

Words words_of(const IpAddress& address) {
    return {address.words[0], address.words[1]};
}

Placed placed(const ConnectionRow& connection) {
    const bool at_initiator = connection.vantage == Vantage::initiator;
    const Words near = words_of((at_initiator ? connection.initiator : connection.target).address);
    const Words far = words_of((at_initiator ? connection.target : connection.initiator).address);
    const bool at_low = near < far;
    return {at_low ? std::pair(near, far) : std::pair(far, near), at_low};
}

// Segments of one direction were captured behind their acknowledgements, and yet the least time until one came is longer than that: it is
// of what was acknowledged late, for the clocks hide what was at once. Then nothing tells which end is near.
bool is_told_by_clocks(const ConnectionRow& connection) {
    const auto contradicts = [](const SentDataRow& sent, int64_t rtt_ns) {
        return sent.clock_ahead_ns() > 0 && rtt_ns > sent.clock_ahead_ns();
    };
    return contradicts(connection.in, connection.rtt_to_initiator_ns) ||
           contradicts(connection.out, connection.rtt_to_target_ns);
}

}  // namespace

void settle_vantages(ResultStore& store) {
    for (uint32_t number = 1; number <= store.connections().size(); ++number) {
        ConnectionRow& connection = store.connection(number);
        if (!is_told_by_clocks(connection)) continue;
        connection.vantage = Vantage::unknown;
        connection.rtt_min_ns = no_time;
    }
    std::map<std::pair<Words, Words>, AtHosts> shown;
    for (const ConnectionRow& connection : store.connections()) {
        if (!at_an_end(connection)) continue;
        const Placed at = placed(connection);
        if (at.hosts.first == at.hosts.second) continue;
        AtHosts& of = shown[at.hosts];
        ++(at.at_low ? of.low : of.high);
    }
    for (uint32_t number = 1; number <= store.connections().size(); ++number) {
        ConnectionRow& connection = store.connection(number);
        if (!at_an_end(connection)) continue;
        const Placed at = placed(connection);
        const auto found = shown.find(at.hosts);
        if (found == shown.end()) continue;
        const uint64_t same = at.at_low ? found->second.low : found->second.high;
        const uint64_t other = at.at_low ? found->second.high : found->second.low;
        if (same > other) continue;
        connection.vantage = Vantage::unknown;
        const bool both_known =
            connection.rtt_to_initiator_ns != no_time && connection.rtt_to_target_ns != no_time;
        connection.rtt_min_ns =
            both_known ? connection.rtt_to_initiator_ns + connection.rtt_to_target_ns : no_time;
    }
}

}  // namespace sanscope
