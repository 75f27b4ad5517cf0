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

bool CommandOrder::add_waits(const std::vector<Numbered>& session) {
    constexpr int64_t estimates_waver_ns = 1'000'000;
    constexpr uint64_t least_contradictions = 2;
    constexpr uint64_t few = 8;  // of the commands that waited, or of all, one in so many
    const size_t before = waits_.size();
    int64_t missing = 0;
    uint64_t waited = 0;
    uint64_t contradicted = 0;
    Wait last;  // of those before
    for (size_t i = 0; i < session.size(); ++i) {
        const Numbered& one = session[i];
        if (i > 0) missing += std::max<int64_t>(0, one.cmd_sn - session[i - 1].cmd_sn - 1);
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
    const bool is_contradicted = contradicted >= least_contradictions && contradicted * few >= waited;
    if (!is_contradicted && missing * int64_t{few} <= static_cast<int64_t>(session.size())) return true;
    waits_.resize(before);
    return false;
}

void CommandOrder::finish() {
    for (auto& [number, session] : by_session_) {
        std::ranges::stable_sort(session, {}, &Numbered::cmd_sn);
        if (!add_waits(session)) in_doubt_.insert(number);
    }
    by_session_.clear();
    std::ranges::sort(waits_, {}, &Wait::command);
}

const CommandOrder::Wait* CommandOrder::of(uint64_t command) const {
    const auto found = std::ranges::lower_bound(waits_, command, {}, &Wait::command);
    return found != waits_.end() && found->command == command ? &*found : nullptr;
}

}  // namespace sanscope
