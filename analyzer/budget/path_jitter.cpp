// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/budget/path_jitter.h"

#include <algorithm>

namespace sanscope {

void PathJitter::add(ConnectionNumber connection, int64_t delay_ns) {
    if (delay_ns != no_time) delays_[connection.value()].add(delay_ns);
}

void PathJitter::finish() {
    constexpr uint64_t fewest_answers = 20;
    constexpr double usual_share = 0.9;
    for (const auto& [connection, delays] : delays_) {
        if (delays.count() < fewest_answers) continue;
        const int64_t late_ns = delays.percentile_ns(usual_share);
        if (late_ns >= least_ns) jitter_ns_[connection] = std::min(late_ns, longest_ns);
    }
    delays_.clear();
}

int64_t PathJitter::of(ConnectionNumber connection) const {
    const auto found = jitter_ns_.find(connection.value());
    return found == jitter_ns_.end() ? 0 : found->second;
}

}  // namespace sanscope
