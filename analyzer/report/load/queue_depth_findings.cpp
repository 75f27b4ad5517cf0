// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/load/queue_depth_findings.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace sanscope {
namespace {

using Kind = Finding::Kind;

// What the target opens again reaches the initiator half a round trip later, and the next command comes as late.
double command_window_shut_share(const SessionLoad& load) {
    const bool at_target = load.sender.connection->vantage == Vantage::target;
    const auto shuts = static_cast<int64_t>(std::min<uint64_t>(load.row.command_window_shuts, 1 << 20));
    const int64_t shut_ns = load.row.command_window_shut_ns + (at_target ? shuts * load.rtt_ns : 0);
    return std::min(share_of(shut_ns, load.session.lasted_ns()), 1.0);
}

}  // namespace

bool add_shallow_queue(const SessionLoad& load) {
    if (load.rtt_ns < SessionLoad::least_long_path_ns || load.depth == 0 || load.turnaround_ns == 0)
        return false;
    const double path_share = share_of(load.rtt_ns, load.turnaround_ns);
    const double most_possible = load.depth * load.mean_bytes * 1e9 / static_cast<double>(load.rtt_ns);
    if (path_share < SessionLoad::most || most_possible >= SessionLoad::half_of_plenty) return false;
    // Where it did much less than the path allows, something else is the matter; and more is no limit.
    if (load.throughput < SessionLoad::most * most_possible || load.throughput > most_possible) return false;
    // Nor is it short of commands at once where it does not ask most of the time.
    if (load.session.busy_share() < SessionLoad::busy_enough) return false;
    // Nor where it goes deeper at times: its requests come when they are wanted, whatever is still under way.
    constexpr double nearly_all = 0.95;
    if (load.session.depth(nearly_all) > 2 * load.depth) return false;
    const double enough =
        std::ceil(SessionLoad::plenty * static_cast<double>(load.rtt_ns) / 1e9 / load.mean_bytes);
    const double shut_share = command_window_shut_share(load);
    // At the target a window is seen shut only as long as commands are served, though the initiator cannot send.
    const bool all_under_way = load.row.command_window <= load.depth;
    const bool target_allows_no_more =
        load.row.command_window != unknown<uint32_t> &&
        (all_under_way || (load.row.command_window <= 2 * load.depth && shut_share >= SessionLoad::most));
    Finding finding = load.begin(target_allows_no_more ? Kind::command_window : Kind::shallow_queue,
                                 Finding::Severity::notice,
                                 static_cast<int64_t>(static_cast<double>(load.busy_ns) * path_share));
    finding.add_sign(fmt::format("the minimum round-trip time, {}, is {} of the median {}'s time ({})",
                                 human_duration(load.rtt_ns), human_percent(std::min(path_share, 1.0)),
                                 load.noun(), human_duration(load.turnaround_ns)));
    if (target_allows_no_more) {
        finding.side = Finding::Side::target;
        finding.title = fmt::format(
            "Command window of session {}: the target allows {} at once (MaxCmdSN), at most {} over a "
            "round trip of {}",
            load.session.session, counted(load.row.command_window, "command"), human_rate(most_possible),
            human_duration(load.rtt_ns));
        finding.explanation = fmt::format(
            "Its command window stays closed until a command is answered. Raise the queue depth of the "
            "target (MaxQueueCmd, default_cmdsn_depth or the like): {} of {} fill 1 Gbit/s. A greater "
            "depth at the initiator cannot help.",
            counted(static_cast<uint64_t>(enough), load.noun()), load.size());
        if (shut_share >= SessionLoad::most) {
            finding.add_sign(fmt::format("the command window, {} at the widest, was closed {} of the time",
                                         counted(load.row.command_window, "command"),
                                         human_percent(shut_share)));
        } else {
            finding.confidence = Finding::Confidence::likely;
            finding.add_sign(
                fmt::format("the command window is {} at the widest, and the median queue depth {}",
                            counted(load.row.command_window, "command"), load.depth));
        }
    } else {
        finding.side = Finding::Side::initiator;
        finding.title = fmt::format("{} of {} at queue depth {} over a round trip of {}: at most {}",
                                    load.reads ? "Reads" : "Writes", load.size(), load.depth,
                                    human_duration(load.rtt_ns), human_rate(most_possible));
        finding.explanation = fmt::format(
            "Session {} moved {}, and no TCP window limited it. Larger requests, or more of them at "
            "once, would move more: {} of this size fill 1 Gbit/s.",
            load.session.session, human_rate(load.throughput), human_count(static_cast<uint64_t>(enough)));
        finding.add_sign(
            fmt::format("the median queue depth is {}, and commands were outstanding {} of the time",
                        load.depth, human_percent(load.session.busy_share())));
        finding.add_sign(fmt::format("the sender of the data was application-limited {} of that",
                                     human_percent(load.sender.limited_share(SendLimit::application))));
    }
    load.list.push_back(std::move(finding));
    return true;
}

// Whatever else commands wait for: no more of them could be sent. How much faster more would have been, nobody knows; nor
// whether the initiator would have sent them, whose own queue may be just as deep.
void add_command_window(const SessionLoad& load) {
    constexpr uint64_t least_shuts = 20;
    if (load.row.command_window == unknown<uint32_t> || load.row.command_window_shuts < least_shuts) return;
    if (load.row.command_window_shut_ns <= 0 || command_window_shut_share(load) < SessionLoad::most) return;
    const bool told = std::ranges::any_of(load.list, [&](const Finding& finding) {
        return finding.kind == Kind::command_window && finding.session == load.session.session;
    });
    if (told) return;
    Finding finding = load.begin(Kind::command_window, Finding::Severity::notice, 0);
    finding.side = Finding::Side::target;
    finding.confidence = Finding::Confidence::likely;
    finding.title = fmt::format("Command window of session {}: the target allows {} at once (MaxCmdSN)",
                                load.session.session, counted(load.row.command_window, "command"));
    finding.explanation =
        "All that it allows were under way, and when one was answered the next came at once: the "
        "initiator "
        "may have had more to send. Raise the queue depth of the target (MaxQueueCmd, "
        "default_cmdsn_depth "
        "or the like); if the initiator's own queue is as deep, raise that as well.";
    finding.add_sign(fmt::format("the command window, {} at the widest, was closed {} of the time",
                                 counted(load.row.command_window, "command"),
                                 human_percent(command_window_shut_share(load))));
    finding.add_sign(fmt::format("{} it was shut, the next command came within a round trip of its opening",
                                 counted(load.row.command_window_shuts, "time")));
    load.list.push_back(std::move(finding));
}

}  // namespace sanscope
