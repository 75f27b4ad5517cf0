// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/load/load_findings.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include "analyzer/report/load/imbalance_findings.h"
#include "analyzer/report/load/queue_depth_findings.h"
#include "analyzer/report/load/r2t_findings.h"
#include "analyzer/report/load/saturation_findings.h"
#include "analyzer/report/load/send_buffer_findings.h"
#include "analyzer/report/load/session_load.h"
#include "analyzer/report/load/wait_findings.h"

namespace sanscope {
namespace {

using Kind = Finding::Kind;

void add_what_limits(const SessionLoad& load, bool host_is_slow) {
    const bool waits_for_r2ts = add_r2t_waits(load);
    // Where most commands are hidden, nobody knows the load.
    constexpr double least_known = 0.5;
    if (host_is_slow || load.session.for_each_known() * least_known > 1) return;
    // What follows is about senders that had nothing to send.
    if (load.sender.limited_share(SendLimit::application) < SessionLoad::most) return;
    // Where the queue's rate tells of a bottleneck, it follows from that (path_queue).
    if (load.sender.queues_on_path()) {
        constexpr double nearly_all = 0.9;
        const bool at_work = load.sender.limited_share(SendLimit::application) >= nearly_all;
        if (at_work) add_saturation(load);
        return;
    }
    if (waits_for_r2ts || add_shallow_queue(load) || add_send_buffer(load)) return;
    // It may be a window of its TCP that holds so much.
    const bool window_is_known = load.sender.widest_offered > 0;
    if (!window_is_known && is_filled_to_one_amount(load)) return;
    add_saturation(load);
}

// A sender of a session's data in one direction, and its share of them.
struct SenderOfData {
    const SenderFacts* sender = nullptr;
    double share = 1;
};

// … of the connection that carried most.
SenderOfData sender_of(uint32_t session, bool initiator, std::span<const SenderFacts> senders) {
    const SenderFacts* busiest = nullptr;
    uint64_t all = 0;
    for (const SenderFacts& sender : senders) {
        if (sender.connection->session != session || sender.is_initiator != initiator) continue;
        if (busiest == nullptr || sender.bytes() > busiest->bytes()) busiest = &sender;
        all += sender.bytes();
    }
    return {busiest, all == 0 ? 1 : static_cast<double>(busiest->bytes()) / static_cast<double>(all)};
}

double command_time_ns(const SessionFacts& session) {
    const auto of = [](const TimeParts& parts) {
        return parts.turnaround.mean_ns() * static_cast<double>(parts.turnaround.count());
    };
    return of(session.reads) + of(session.writes);
}

// What a session of little load could do better keeps nobody waiting: a look at a logical unit before the load proper, say.
void judge_by_load(std::span<Finding> of_session, double share) {
    constexpr double little = 0.1;
    if (share >= little) return;
    for (Finding& finding : of_session) {
        if (finding.kind != Kind::shallow_queue) continue;
        finding.severity = Finding::Severity::information;
        finding.explanation +=
            fmt::format(" Its commands took {} of the time of all commands.", human_percent(share));
    }
}

}  // namespace

void add_load_findings(FindingList& list, const ResultStore& store, const CommandFacts& commands,
                       std::span<const SenderFacts> senders, const std::map<uint32_t, ConnectionWaits>& waits,
                       std::span<const ServiceTimes> services) {
    const size_t before = list.size();
    add_target_waits(list, store, commands, senders, services);
    add_data_pauses(list, store, commands, services);
    add_initiator_waits(list, commands, waits, services);
    double all_ns = 0;
    for (const SessionFacts& session : commands.sessions) all_ns += command_time_ns(session);
    for (const SessionFacts& session : commands.sessions) {
        // A host that is slow needs no other explanation of few data.
        const bool host_is_slow =
            std::any_of(list.begin() + static_cast<ptrdiff_t>(before), list.end(),
                        [&](const Finding& one) { return one.session == session.session; });
        // The direction with the more data is the session's load.
        for (const bool reads : {true, false}) {
            const TimeParts& parts = reads ? session.reads : session.writes;
            const TimeParts& others = reads ? session.writes : session.reads;
            if (parts.count() < SessionLoad::least_transfers || parts.bytes < others.bytes) continue;
            const auto [sender, share] = sender_of(session.session, !reads, senders);
            if (sender != nullptr && !sender->is_not_judged()) {
                const size_t known = list.size();
                const SessionLoad load(list, session, store.session(session.session), *sender, share, parts,
                                       reads);
                add_what_limits(load, host_is_slow);
                add_command_window(load);
                judge_by_load(std::span(list).subspan(known),
                              all_ns > 0 ? command_time_ns(session) / all_ns : 1);
            }
            break;
        }
    }
    if (!store.commands().empty()) add_imbalance(list, store, commands);
}

}  // namespace sanscope
