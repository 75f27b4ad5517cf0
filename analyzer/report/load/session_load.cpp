// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/load/session_load.h"

#include <algorithm>
#include <cmath>

namespace sanscope {

SessionLoad::SessionLoad(FindingList& of_all, const SessionFacts& facts, const SessionRow& session_row,
                         const SenderFacts& of_data, double part_of_data, const TimeParts& of_commands,
                         bool of_reads)
    : list(of_all),
      session(facts),
      row(session_row),
      sender(of_data),
      sender_share(part_of_data),
      parts(of_commands),
      reads(of_reads) {
    const int64_t least_ns = sender.rtt_min_ns();
    rtt_ns = least_ns == no_time ? 0 : least_ns;
    // At the target a round trip of each command's time is behind the tap.
    const bool at_target = sender.connection->vantage == Vantage::target;
    behind_tap_ns = at_target ? rtt_ns : 0;
    if (at_target && sender.queues_on_path()) behind_tap_ns = std::max(rtt_ns, sender.queued_srtt_ns);
    turnaround_ns = parts.turnaround.percentile_ns(0.5) + behind_tap_ns;
    mean_bytes = static_cast<double>(parts.bytes) / static_cast<double>(parts.count());
    busy_ns = session.busy_ns;
    throughput = busy_ns > 0 ? static_cast<double>(session.bytes()) * 1e9 / static_cast<double>(busy_ns) : 0;
    throughput *= session.for_each_known();
    depth = session.depth(0.5);
    if (at_target && busy_ns > 0) {
        // The requests and answers under way on the path count as well (Little's law).
        const double taken_ns = parts.turnaround.mean_ns() + static_cast<double>(behind_tap_ns);
        const double mean_depth = session.for_each_known() * static_cast<double>(session.transfers()) *
                                  taken_ns / static_cast<double>(busy_ns);
        depth = std::max(depth, static_cast<uint32_t>(std::lround(std::min(mean_depth, 1e6))));
    }
}

Finding SessionLoad::begin(Finding::Kind kind, Finding::Severity severity, int64_t cost_ns) const {
    Finding finding = sender.finding(kind, severity);
    finding.session = session.session;
    finding.cost_ns = cost_ns;
    return finding;
}

std::string SessionLoad::size() const {
    return human_binary_bytes(static_cast<uint64_t>(std::llround(mean_bytes)));
}

}  // namespace sanscope
