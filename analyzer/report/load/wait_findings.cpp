// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/load/wait_findings.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "analyzer/report/commands/command_words.h"

namespace sanscope {
namespace {

using Kind = Finding::Kind;

// From here on a share is the greater part.
constexpr double most = 0.5;

// Fewer commands make no load to judge.
constexpr uint64_t least_transfers = 20;

// A target that takes less is as fast as flash, or as fast as a busy host wakes a program; that is no wait.
constexpr int64_t least_wait_ns = 2'000'000;

// What memory and a bus of a target move in a second: large commands may take that much longer.
constexpr double target_bus = 500e6;

// Any user of a target feels that.
constexpr int64_t long_wait_ns = 20'000'000;

// A wait matters where it is this share of a command's time.
constexpr double noticeable_share = 0.2;

std::string of_unit(const ServiceTimes& one) {
    return one.lun == unknown<uint64_t> ? "" : fmt::format(" of LUN {}", one.lun);
}

// Where a tenth of the commands or more were answered nobody knows when.
std::string_view of_those_known(const SessionFacts& session) {
    constexpr double nearly_all = 1.1;
    return session.for_each_known() > nearly_all ? " whose times are known" : "";
}

// As one session sees it.
bool is_same_unit(const ServiceTimes& a, const ServiceTimes& b) {
    return a.session == b.session && a.lun == b.lun;
}

// A target is slow where it takes long for a command that found no queue before it, or where even a command's share of the
// time that a queue takes is long. `depth` 0: not known.
bool is_slow(const ServiceTimes& one, const ServiceTimes* faster, uint32_t depth, int64_t rtt_ns,
             bool queues) {
    const int64_t wait_ns = one.service.percentile_ns(0.5);
    // A few commands tell nothing, unless each of them took long.
    constexpr uint64_t least_slow = 5;
    const bool each_is_slow = one.count() >= least_slow && one.service.min_ns() >= long_wait_ns &&
                              one.service.min_ns() >= wait_ns / 2;
    if (one.count() < least_transfers && !each_is_slow) return false;
    const auto size_ns = static_cast<int64_t>(one.mean_bytes() * 1e9 / target_bus);
    if (wait_ns < least_wait_ns + size_ns) return false;
    const double share = share_of(wait_ns, one.turnaround.percentile_ns(0.5));
    if (share < most) {
        // Over a long path a target may be slow and yet take the smaller part of a command's time: the round trip is the
        // rest, or much of it. Jitter and queues do not delay nearly all commands alike; where not even the target's TCP
        // acknowledged the request, less so.
        constexpr int64_t much_of_it = 4;
        constexpr double nearly_all = 0.1;
        const int64_t least_ns = one.service.percentile_ns(nearly_all);
        const bool proven = 2 * one.proven >= one.count();
        const int64_t rest_ns = one.turnaround.percentile_ns(0.5) - wait_ns;
        if (queues || rtt_ns < rest_ns / much_of_it || share < noticeable_share ||
            least_ns < least_wait_ns + size_ns || least_ns < rtt_ns / (proven ? 8 : 4))
            return false;
    }
    if (depth != 0 && wait_ns / depth >= least_wait_ns + size_ns) return true;
    // Where what else is asked of the same logical unit at the same time is served at once, there is no queue before it.
    if (faster != nullptr && is_same_unit(*faster, one) && one.is_meanwhile(*faster)) return true;
    return one.alone.count() >= (depth == 0 ? least_slow : 1) &&
           one.alone.percentile_ns(0.5) >= std::max(wait_ns / 3, least_wait_ns + size_ns);
}

bool shares_its_path(uint32_t connection, std::span<const SenderFacts> senders) {
    return std::ranges::any_of(senders, [&](const SenderFacts& sender) {
        if (sender.number != connection || sender.is_initiator) return false;
        constexpr double little = 0.25;  // of its own, both of the time that the connection was there
        const int64_t life_ns = elapsed_ns(sender.connection->start_ns, sender.connection->end_ns);
        return life_ns > 0 && sender.beside_rate > little * static_cast<double>(sender.bytes()) * 1e9 /
                                                       static_cast<double>(life_ns);
    });
}

// Data of another connection between the same hosts, either way, stood in a queue on the path as long as half of that: what
// waited there is not known to have waited for the target.
bool path_queues_beside(const ServiceTimes& one, int64_t wait_ns, const ResultStore& store,
                        std::span<const SenderFacts> senders) {
    const ConnectionRow& own = store.connection(one.connection);
    return std::ranges::any_of(senders, [&](const SenderFacts& sender) {
        const ConnectionRow& row = *sender.connection;
        const bool beside = sender.number != one.connection &&
                            row.initiator.address == own.initiator.address &&
                            row.target.address == own.target.address;
        if (!beside || !sender.queues_on_path()) return false;
        const int64_t both_ns =
            elapsed_ns(std::max(row.start_ns, one.first_ns), std::min(row.end_ns, one.last_ns));
        if (2 * both_ns < elapsed_ns(one.first_ns, one.last_ns)) return false;
        return elapsed_ns(sender.rtt_min_ns(), sender.queued_srtt_ns) >= wait_ns / 2;
    });
}

// What the one is asked for comes from the same host, over the same path, as what the other is.
bool is_between_same_hosts(const ServiceTimes& one, const ServiceTimes& other, const ResultStore& store) {
    const ConnectionRow& a = store.connection(one.connection);
    const ConnectionRow& b = store.connection(other.connection);
    return a.initiator.address == b.initiator.address && a.target.address == b.target.address;
}

// Of a command's time, what the round trip, TCP's delays and data of others leave is the target's at most. Where they leave nothing, its
// commands are served sooner if all of their time is shorter.
bool is_told_sooner(const ServiceTimes& sooner, const ServiceTimes& later) {
    const int64_t wait_ns = later.service.percentile_ns(0.5);
    return sooner.service.percentile_ns(0.5) > 0 ||
           sooner.turnaround.percentile_ns(0.5) + wait_ns / 2 <= later.turnaround.percentile_ns(0.5);
}

// Of what little is left of a turnaround when the round trip is taken off it, no figure is told.
std::string wait_words(int64_t wait_ns) {
    constexpr int64_t least_ns = 1000;
    return wait_ns < least_ns ? "next to nothing" : human_duration(wait_ns);
}

// Of all commands of the session.
double turnaround_sum_ns(std::span<const ServiceTimes> services, uint32_t session) {
    double sum_ns = 0;
    for (const ServiceTimes& one : services) {
        if (one.session == session) sum_ns += one.turnaround_sum_ns;
    }
    return sum_ns;
}

// Of these commands, which wait for that share of the time in which their session is busy; the worst is the one at `row`.
Finding begin_finding(Kind kind, const ServiceTimes& one, const SessionFacts& session, double share,
                      uint64_t worst, const CommandRow& row) {
    Finding finding;
    finding.kind = kind;
    place_at(finding, worst, row);
    finding.connection = one.connection;
    finding.lun = one.lun;
    finding.cost_ns = static_cast<int64_t>(static_cast<double>(session.busy_ns) * share);
    return finding;
}

}  // namespace

void add_target_waits(FindingList& list, const ResultStore& store, const CommandFacts& commands,
                      std::span<const SenderFacts> senders, std::span<const ServiceTimes> services) {
    for (const ServiceTimes& one : services) {
        const SessionFacts* session = commands.session(one.session);
        if (session == nullptr || one.slowest == nullptr) continue;
        const uint32_t depth = session->depth(0.5);
        int64_t rtt_ns = no_time;
        double free_share = 0;
        bool queues = false;
        for (const SenderFacts& sender : senders) {
            if (sender.number != one.connection) continue;
            queues = queues || sender.queues_on_path();
            if (sender.is_initiator != one.writes) continue;
            rtt_ns = sender.rtt_min_ns();
            free_share = sender.limited_share(SendLimit::application);
        }
        const ServiceTimes* faster = nullptr;  // what else the same target serves sooner
        for (const ServiceTimes& other : services) {
            const bool comparable = &other != &one && is_between_same_hosts(one, other, store) &&
                                    is_told_sooner(other, one) && other.count() >= least_transfers &&
                                    other.service.percentile_ns(0.5) < one.service.percentile_ns(0.5) / 3;
            if (!comparable) continue;
            const bool nearer = faster == nullptr || is_same_unit(other, one);
            if (nearer) faster = &other;
        }
        if (!is_slow(one, faster, depth, std::max<int64_t>(rtt_ns, 0), queues)) continue;
        const double all_ns = turnaround_sum_ns(services, one.session);
        const double share = all_ns > 0 ? std::min(one.service_sum_ns / all_ns, 1.0) : 0;
        if (share < noticeable_share / 2) continue;
        const int64_t wait_ns = one.service.percentile_ns(0.5);
        const std::string_view noun = one.writes ? "writes" : "reads";
        Finding finding =
            begin_finding(Kind::target_wait, one, *session, share, one.slowest_command, *one.slowest);
        // That the target's TCP had what it was asked, long before it answered, is the sign that tells it from the path.
        const bool proven = 2 * one.proven >= one.count();
        finding.severity =
            wait_ns >= long_wait_ns && proven ? Finding::Severity::problem : Finding::Severity::notice;
        if (!proven) finding.confidence = Finding::Confidence::likely;
        // Where several connections share the path, what waits on one may have waited behind the data of another; but a
        // logical unit that is slow while another is fast is not the path's doing.
        const bool other_unit = faster != nullptr && faster->lun != one.lun;
        // Nor did what came while nothing flowed from the target's host at all wait in a queue.
        const bool was_silent = one.undisturbed.percentile_ns(0.5) >= std::max(least_wait_ns, wait_ns / 2);
        if (!proven && !(other_unit && one.is_meanwhile(*faster)) &&
            path_queues_beside(one, wait_ns, store, senders))
            continue;
        if (!proven && !other_unit && !was_silent && shares_its_path(one.connection, senders))
            finding.severity = Finding::Severity::information;
        finding.side = Finding::Side::target;
        finding.sender = Finding::Sender::target;
        finding.title = fmt::format("Half of the {}{}{} wait {} or more for the target", noun, of_unit(one),
                                    of_those_known(*session), human_duration(wait_ns));
        if (faster != nullptr) {
            // By another session a LUN of the same number may be another unit.
            const bool other_session = faster->session != one.session && faster->lun == one.lun;
            finding.title += fmt::format(", {}{}{} {}", faster->writes ? "writes" : "reads",
                                         is_same_unit(*faster, one) ? "" : of_unit(*faster),
                                         other_session ? fmt::format(" in session {}", faster->session) : "",
                                         wait_words(faster->service.percentile_ns(0.5)));
        }
        finding.add_sign(fmt::format(
            "{} wait {} {}, not counting the round trip, TCP's delays and data of other commands: {} of "
            "their time",
            noun, human_duration(wait_ns),
            one.writes ? write_service_words(static_cast<int64_t>(one.first_r2t_sum_ns),
                                             static_cast<int64_t>(one.service_sum_ns))
                       : "from the request to the first data",
            human_percent(share_of(wait_ns, one.turnaround.percentile_ns(0.5)))));
        if (rtt_ns != no_time) {
            finding.add_sign(
                fmt::format("the minimum round-trip time is {}, and the sender was application-limited for "
                            "{} of the time",
                            human_duration(rtt_ns), human_percent(free_share)));
        }
        if (one.alone.count() > 0 && depth != 1) {
            finding.add_sign(fmt::format("commands that found few others outstanding wait {}",
                                         human_duration(one.alone.percentile_ns(0.5))));
        }
        const bool only_writes =
            one.writes && faster != nullptr && !faster->writes && is_same_unit(*faster, one);
        finding.explanation = fmt::format(
            "{}Look at the target: {}.", depth == 0 ? "" : fmt::format("At queue depth {}. ", depth),
            only_writes ? "only writes are slow, so its write cache, journal, RAID or replication"
            : faster != nullptr && faster->lun != one.lun
                ? "the disks behind this logical unit, for others are faster"
                : "its disks, its cache, what else it serves");
        list.push_back(std::move(finding));
    }
}

void add_data_pauses(FindingList& list, const ResultStore& store, const CommandFacts& commands,
                     std::span<const ServiceTimes> services) {
    for (const ServiceTimes& one : services) {
        const SessionFacts* const session = commands.session(one.session);
        if (session == nullptr || one.longest_pauses == nullptr || one.count() < least_transfers) continue;
        const int64_t pauses_ns = one.data_pauses.percentile_ns(0.5);
        const auto size_ns = static_cast<int64_t>(one.mean_bytes() * 1e9 / target_bus);
        const double share = one.data_pauses_sum_ns / one.turnaround_sum_ns;
        if (pauses_ns < least_wait_ns + size_ns || share < noticeable_share) continue;
        const double of_all =
            std::min(one.data_pauses_sum_ns / turnaround_sum_ns(services, one.session), 1.0);
        if (of_all < noticeable_share / 2) continue;
        const ConnectionRow& connection = store.connection(one.connection);
        // Elsewhere something on the path may hold data back, of which no packet tells.
        const bool at_target = connection.vantage == Vantage::target;
        Finding finding = begin_finding(Kind::target_wait, one, *session, of_all, one.longest_pauses_command,
                                        *one.longest_pauses);
        finding.severity =
            pauses_ns >= long_wait_ns && at_target ? Finding::Severity::problem : Finding::Severity::notice;
        finding.confidence = at_target ? Finding::Confidence::firm : Finding::Confidence::possible;
        finding.side = at_target ? Finding::Side::target : Finding::Side::none;
        finding.sender = Finding::Sender::target;
        finding.title = fmt::format("Half of the reads{}{} pause for {} or more between their data: {}",
                                    of_unit(one), of_those_known(*session), human_duration(pauses_ns),
                                    at_target ? "the target" : "the target, or the path");
        finding.add_sign(
            fmt::format("from their first data to their last nothing was sent for {}: {} of their time",
                        human_duration(pauses_ns), human_percent(share)));
        finding.add_sign("the target's TCP could have sent: no window was full, and nothing was lost then");
        finding.explanation =
            at_target
                ? "The target had begun to send the data and did not go on. Look at the target: its "
                  "disks, its read-ahead, what else it serves."
                : "The data had begun to come, and did not go on. That the target had no more, and that "
                  "something on the path held it back, look alike from here: capture at the target too.";
        list.push_back(std::move(finding));
    }
}

void add_initiator_waits(FindingList& list, const CommandFacts& commands,
                         const std::map<uint32_t, ConnectionWaits>& waits,
                         std::span<const ServiceTimes> services) {
    for (const ServiceTimes& one : services) {
        const SessionFacts* const session = commands.session(one.session);
        const auto found = waits.find(one.connection);
        if (session == nullptr || found == waits.end() || one.latest_answer == nullptr) continue;
        if (one.by_initiator.count() < least_transfers) continue;
        const int64_t wait_ns = one.by_initiator.percentile_ns(0.5);
        const auto size_ns = static_cast<int64_t>(one.mean_bytes() * 1e9 / target_bus);
        const double share = one.by_initiator_sum_ns / one.turnaround_sum_ns;
        if (wait_ns < least_wait_ns + size_ns || share < noticeable_share) continue;
        // Elsewhere the R2T, or the data, may have been held on the path.
        const bool at_initiator = found->second.is_at_initiator;
        Finding finding = begin_finding(Kind::initiator_wait, one, *session, std::min(share, 1.0),
                                        one.latest_answer_command, *one.latest_answer);
        finding.severity =
            wait_ns >= long_wait_ns && at_initiator ? Finding::Severity::problem : Finding::Severity::notice;
        finding.confidence = at_initiator ? Finding::Confidence::likely : Finding::Confidence::possible;
        finding.side = at_initiator ? Finding::Side::initiator : Finding::Side::none;
        finding.sender = Finding::Sender::initiator;
        finding.title = fmt::format("Half of the writes{}{} wait {} or more for the initiator's data{}",
                                    of_unit(one), of_those_known(*session), human_duration(wait_ns),
                                    at_initiator ? "" : ", or on the path");
        finding.add_sign(fmt::format("from the first R2T to the first Data-Out PDU {}: {} of their time",
                                     human_duration(wait_ns), human_percent(share)));
        finding.add_sign("the initiator's TCP had nothing else to send then, and could have sent");
        finding.explanation =
            at_initiator
                ? "The target had asked for the data. Look at the initiator: whether its processors are "
                  "busy, and how its iSCSI threads are scheduled."
                : "The target had asked for the data. Capture at the initiator too: that shows whether the "
                  "R2T came to it in time.";
        list.push_back(std::move(finding));
    }
}

}  // namespace sanscope
