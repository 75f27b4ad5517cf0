// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/budget/command_order.h"

#include <algorithm>

namespace sanscope {

void CommandOrder::add(uint64_t command, const CommandRow& row, const RequestArrival& arrival) {
    if (arrival.time_ns == no_time || !row.cmd_sn_known) return;
    std::vector<Numbered>& session = by_session_[row.session];
    const int64_t last = session.empty() ? row.cmd_sn : session.back().cmd_sn;
    const int32_t ahead = Serial32(static_cast<uint32_t>(last)).distance_to(Serial32(row.cmd_sn));
    session.push_back({last + ahead, command, arrival});
}

void CommandOrder::finish() {
    for (auto& [number, session] : by_session_) {
        std::ranges::stable_sort(session, {}, &Numbered::cmd_sn);
        Wait last;  // of those before
        for (const Numbered& one : session) {
            const RequestArrival& own = one.arrival;
            if (last.until_ns > own.time_ns || last.surely_until_ns > own.acknowledged_ns) {
                Wait& wait = waits_.emplace_back(last);
                wait.command = one.command;
                if (last.until_ns > own.time_ns) wait.late_ns = last.until_ns - own.shortest_ns;
            }
            if (own.time_ns > last.until_ns) {
                last.until_ns = own.time_ns;
                last.repaired = own.repaired;
                last.by_timer = own.by_timer;
            }
            last.surely_until_ns = std::max(last.surely_until_ns, own.acknowledged_ns);
        }
    }
    by_session_.clear();
    std::ranges::sort(waits_, {}, &Wait::command);
}

const CommandOrder::Wait* CommandOrder::of(uint64_t command) const {
    const auto found = std::ranges::lower_bound(waits_, command, {}, &Wait::command);
    return found != waits_.end() && found->command == command ? &*found : nullptr;
}

}  // namespace sanscope
