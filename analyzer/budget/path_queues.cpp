// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/budget/path_queues.h"

#include <algorithm>

namespace sanscope {

void PathQueues::add(const ConnectionRow& row, ConnectionNumber connection, const SenderTime* sender) {
    if (sender == nullptr) return;
    for (const SenderTime::Queued& queued : sender->queues(least_ns)) {
        if (queued.begin_ns >= queued.end_ns) continue;
        const Stretch stretch{queued.begin_ns, queued.end_ns, queued.longest_ns, connection.value()};
        by_host_[row.initiator.address.words].push_back(stretch);
        if (row.target.address != row.initiator.address)
            by_host_[row.target.address.words].push_back(stretch);
    }
}

void PathQueues::finish() {
    for (auto& [host, stretches] : by_host_) stretches = apart(stretches);
}

PathQueues::Stretches PathQueues::apart(const Stretches& stretches) {
    struct Change {
        int64_t time_ns;
        bool begins;
        const Stretch* of;
    };
    std::vector<Change> changes;
    changes.reserve(2 * stretches.size());
    for (const Stretch& stretch : stretches) {
        changes.push_back({stretch.begin_ns, true, &stretch});
        changes.push_back({stretch.end_ns, false, &stretch});
    }
    std::ranges::stable_sort(changes, {}, &Change::time_ns);
    Stretches result;
    std::map<uint32_t, int> queueing;  // by connection, how many of its senders
    Stretch current{0, 0, 0, several};
    for (const Change& change : changes) {
        const bool was_queueing = !queueing.empty();
        int& senders = queueing[change.of->connection];
        senders += change.begins ? 1 : -1;
        if (senders == 0) queueing.erase(change.of->connection);
        const uint32_t connection = queueing.size() == 1 ? queueing.begin()->first : several;
        if (was_queueing && (queueing.empty() || connection != current.connection)) {
            current.end_ns = change.time_ns;
            if (current.begin_ns < current.end_ns) result.push_back(current);
        }
        if (queueing.empty()) {
            current.longest_ns = 0;
            continue;
        }
        if (!was_queueing || connection != current.connection) {
            current.begin_ns = change.time_ns;
            current.connection = connection;
        }
        if (change.begins) current.longest_ns = std::max(current.longest_ns, change.of->longest_ns);
    }
    return result;
}

int64_t PathQueues::longest_ns(const Stretches& stretches, uint32_t but_of, int64_t begin_ns,
                               int64_t end_ns) {
    int64_t longest_ns = 0;
    auto stretch = std::ranges::upper_bound(stretches, begin_ns, {}, &Stretch::end_ns);
    for (; stretch != stretches.end() && stretch->begin_ns < end_ns; ++stretch) {
        if (stretch->connection != but_of) longest_ns = std::max(longest_ns, stretch->longest_ns);
    }
    return longest_ns;
}

bool PathQueues::may_hold_up(const CommandRow& command, const ConnectionRow& row) {
    return command.turnaround_ns() >= least_ns && row.vantage != Vantage::target;
}

int64_t PathQueues::longest_of_others_ns(const CommandRow& command, const ConnectionRow& row) const {
    if (!may_hold_up(command, row)) return 0;
    int64_t longest = 0;
    for (const Endpoint& end : {row.initiator, row.target}) {
        const auto found = by_host_.find(end.address.words);
        if (found == by_host_.end()) continue;
        longest = std::max(
            longest, longest_ns(found->second, command.connection, command.request_ns, command.response_ns));
    }
    return longest;
}

}  // namespace sanscope
