// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/budget/command_order.h"

#include <algorithm>

namespace sanscope {

void CommandOrder::add(uint64_t command, const CommandRow& row, const RequestArrival& arrival) {
    if (arrival.time_ns == no_time || !row.cmd_sn_known) return;
    std::vector<Numbered>& session = by_session_[row.session];
    const int64_t last = session.empty() ? row.cmd_sn : session.back().cmd_sn;
    const int32_t ahead = Serial32(static_cast<uint32_t>(last)).distance_to(Serial32(row.cmd_sn));
    session.push_back({last + ahead, command, row.response_ns, arrival});
}

void CommandOrder::add_waits(const std::vector<Numbered>& session) {
    constexpr int64_t estimates_waver_ns = 1'000'000;
    constexpr uint64_t least_contradictions = 2;
    constexpr uint64_t few = 8;  // of the commands that waited, one in so many
    const size_t before = waits_.size();
    uint64_t waited = 0;
    uint64_t contradicted = 0;
    Wait last;  // of those before
    for (const Numbered& one : session) {
        const RequestArrival& own = one.arrival;
        const bool waits = last.until_ns > own.time_ns;
        const bool answered_before =
            waits && one.answered_ns != no_time && one.answered_ns < last.until_ns - estimates_waver_ns;
        if (waits) ++waited;
        if (answered_before) ++contradicted;
        if (!answered_before && (waits || last.surely_until_ns > own.acknowledged_ns)) {
            Wait& wait = waits_.emplace_back(last);
            wait.command = one.command;
            if (waits) wait.late_ns = last.until_ns - own.shortest_ns;
        }
        if (own.time_ns > last.until_ns) {
            last.until_ns = own.time_ns;
            last.repaired = own.repaired;
            last.by_timer = own.by_timer;
        }
        last.surely_until_ns = std::max(last.surely_until_ns, own.acknowledged_ns);
    }
    if (contradicted >= least_contradictions && contradicted * few >= waited) waits_.resize(before);
}

void CommandOrder::finish() {
    for (auto& [number, session] : by_session_) {
        std::ranges::stable_sort(session, {}, &Numbered::cmd_sn);
        add_waits(session);
    }
    by_session_.clear();
    std::ranges::sort(waits_, {}, &Wait::command);
}

const CommandOrder::Wait* CommandOrder::of(uint64_t command) const {
    const auto found = std::ranges::lower_bound(waits_, command, {}, &Wait::command);
    return found != waits_.end() && found->command == command ? &*found : nullptr;
}

}  // namespace sanscope
