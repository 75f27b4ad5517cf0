// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/load/saturation_findings.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace sanscope {
namespace {

using Kind = Finding::Kind;

// That long nothing but a queue makes commands wait that move at a reasonable pace.
constexpr int64_t saturated_ns = 100'000'000;

// The queue that a steady rate tells of (SenderFacts::has_bottleneck()), where the rate is not steady enough to tell of it:
// other connections may have had part of it.
void queue_of_commands(const SessionLoad& load, const std::string& law) {
    if (load.sender.has_bottleneck()) return;
    Finding finding = load.begin(Kind::path_queue, Finding::Severity::notice, load.sender.queued_ns);
    finding.side = Finding::Side::path;
    finding.confidence = Finding::Confidence::likely;
    finding.title = load.sender.queue_title(load.throughput);
    finding.explanation =
        "More commands at once only wait longer. Find out what limits that rate: a slow port, shaping, "
        "other traffic, or a host that is at its limit. Fewer commands at once would each be faster at "
        "the same rate.";
    finding.add_sign(load.sender.queue_sign());
    // At the target the queue depth is counted with what the round trip takes, and the law proves nothing.
    const bool at_target = load.sender.connection->vantage == Vantage::target;
    finding.add_sign(at_target ? fmt::format("at least {} in flight half of the time",
                                             human_bytes(load.sender.in_flight_p50))
                               : law);
    load.list.push_back(std::move(finding));
}

}  // namespace

// Little's law: so many at once at that rate take so long each, wherever they wait. Where they do, says who is at its limit:
// in a queue on the path, or at the sender of the data, which TCP does not hold back.
void add_saturation(const SessionLoad& load) {
    constexpr uint32_t least_depth = 4;
    if (load.turnaround_ns < saturated_ns || load.depth < least_depth ||
        load.throughput >= SessionLoad::plenty || load.throughput <= 0)
        return;
    if (load.session.busy_share() < SessionLoad::busy_enough) return;
    const double expected_ns = load.depth * load.mean_bytes * 1e9 / load.throughput;
    const double ratio = expected_ns / static_cast<double>(load.turnaround_ns);
    constexpr double agrees = 1.5;
    if (ratio > agrees || ratio < 1 / agrees) return;
    const std::string law = fmt::format("Little's law: {} × {} at {} are {} each", load.depth, load.size(),
                                        human_rate(load.throughput),
                                        human_duration(static_cast<int64_t>(std::min(expected_ns, 1e15))));
    if (load.sender.queues_on_path()) return queue_of_commands(load, law);
    Finding finding = load.begin(Kind::saturated, Finding::Severity::notice, 0);
    // The law holds of any steady load; that it was the target, only the absence of all else shows.
    finding.confidence = Finding::Confidence::likely;
    finding.side = Finding::Side::target;
    finding.title =
        fmt::format("{} of {} at once took {} each: {} gave no more than {}",
                    counted(load.depth, load.noun()), load.size(), human_duration(load.turnaround_ns),
                    load.reads ? "the target" : "the path or the target", human_rate(load.throughput));
    finding.explanation =
        "More at once only wait longer. Find out what limits that rate: disks of the target, its "
        "processor, what else it serves. Fewer commands at once would each be faster at the same rate.";
    finding.add_sign(law);
    finding.add_sign(fmt::format(
        "the sender of the data was application-limited {} of the time, with a round-trip time of {}",
        human_percent(load.sender.limited_share(SendLimit::application)), human_duration(load.rtt_ns)));
    load.list.push_back(std::move(finding));
}

}  // namespace sanscope
