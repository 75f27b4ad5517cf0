// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/senders/congestion_findings.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "analyzer/report/senders/path_queue_findings.h"

namespace sanscope {
namespace {

using Kind = Finding::Kind;

// On shorter paths a window of any size moves plenty, and a full one says that something else is at its limit.
constexpr int64_t least_long_path_ns = 2'000'000;

constexpr uint64_t least_restarts = 2;

// Slow start doubles the window in each: it is over before.
constexpr int64_t many_round_trips = 30;

// The round trip is long, and grows with what is in flight: not where a path is only uneven.
bool rtt_grew(const OfSender& sender) {
    const SenderFacts& facts = sender.facts;
    const int64_t mean_ns = facts.summary->srtt_mean_ns();
    const int64_t least_ns = facts.rtt_min_ns();
    constexpr double clearly = 1.3;
    constexpr double goes_with_flight = 0.5;
    return mean_ns != no_time && least_ns != no_time &&
           static_cast<double>(mean_ns) >= clearly * static_cast<double>(least_ns) &&
           facts.round_trip_growth >= goes_with_flight;
}

// A few losses that cost no time by themselves, and a window that is small for long behind them.
void kept_small_by_losses(const OfSender& sender, double held_share) {
    const SenderFacts& facts = sender.facts;
    const int64_t held_ns = facts.limited_ns(SendLimit::congestion);
    Finding finding = sender.begin(Kind::lost_segments, Finding::Severity::notice, held_ns);
    place_at(finding, facts.limited[static_cast<size_t>(SendLimit::congestion)]);
    finding.title = fmt::format("{} of {} lost on the path kept its congestion window small: full {} {}",
                                counted(facts.repaired(), "segment"), facts.name(), human_percent(held_share),
                                sender.of_its_time());
    finding.add_sign(fmt::format("{} retransmitted", counted(facts.repaired(), "segment")));
    finding.add_sign(
        fmt::format("the congestion window, {} to {}, was full {} {}; the minimum round-trip time is {}",
                    human_bytes(facts.summary->cwnd_min()), human_bytes(facts.summary->cwnd_max()),
                    human_percent(held_share), sender.of_its_time(), human_duration(facts.rtt_min_ns())));
    finding.explanation =
        rtt_grew(sender) ? "Each loss reduces the congestion window, Reno's by half and CUBIC's by 30 %, and "
                           "it takes long to grow "
                           "again. Without losses it would be larger, but the path has little more to give: "
                           "the round-trip time grows with it."
                         : "Each loss reduces the congestion window, Reno's by half and CUBIC's by 30 %, and "
                           "it takes long to grow "
                           "again. Look at the drop and error counters of the ports on the way.";
    sender.list.push_back(std::move(finding));
}

}  // namespace

void add_congestion(const OfSender& sender) {
    const SenderFacts& facts = sender.facts;
    if (!facts.is_bulk()) return;
    if (facts.has_bottleneck()) return add_path_queue(sender);
    const double held_share = facts.limited_share(SendLimit::congestion);
    // A window that is full now and then is a window at work.
    constexpr double least_share = 0.2;
    if (held_share < least_share || facts.rate() >= OfSender::plenty) return;
    // The window that it was held back by is one that it did not have.
    if (facts.idle_restarts_disproved > 0 && facts.repaired() == 0 && facts.ecn_reductions == 0) return;
    const int64_t rtt_ns = facts.rtt_min_ns();
    static_assert(no_time < least_long_path_ns);  // a round trip that is not known is none
    // A window that marks keep at a few segments is too small for any path.
    const bool kept_small_by_marks = facts.ecn_reductions >= least_restarts && rtt_ns > 0;
    if (rtt_ns < least_long_path_ns && !kept_small_by_marks) return;
    const bool losses_told = std::ranges::any_of(
        sender.list, [](const Finding& finding) { return finding.kind == Kind::lost_segments; });
    if (facts.ecn_reductions == 0 && facts.repaired() > 0 && !losses_told)
        return kept_small_by_losses(sender, held_share);
    Finding finding = sender.begin(Kind::congestion_window, Finding::Severity::notice,
                                   facts.limited_ns(SendLimit::congestion));
    finding.add_sign(fmt::format("the congestion window was full {} {}; the minimum round-trip time is {}",
                                 human_percent(held_share), sender.of_its_time(), human_duration(rtt_ns)));
    place_at(finding, facts.limited[static_cast<size_t>(SendLimit::congestion)]);
    // From afar a paced sender looks much like one whose window is full: of 49 such statements 5 were of BBR, or of half the time said.
    const bool may_be_paced =
        !sender.captured_at_sender() && std::string_view(facts.summary->congestion_control()).empty();
    if (may_be_paced) finding.confidence = Finding::Confidence::likely;
    finding.title = fmt::format("{} was limited by its congestion window {} {}", facts.name(),
                                human_percent(held_share), sender.of_its_time());
    const std::string cwnd_min = human_bytes(facts.summary->cwnd_min());
    const std::string cwnd_max = human_bytes(facts.summary->cwnd_max());
    if (facts.ecn_reductions > 0) {
        finding.explanation = fmt::format(
            "The path marked packets (ECN), and the congestion window was reduced {} for it: its "
            "bandwidth is used up, or its marking threshold is low.",
            facts.ecn_reductions == 1 ? "once" : human_count(facts.ecn_reductions) + " times");
        finding.add_sign(fmt::format("{} echoed marks (ECE), and the window was {} to {}", facts.other_name(),
                                     cwnd_min, cwnd_max));
    } else if (facts.repaired() > 0 || facts.timeouts.count > 0) {
        std::string what;
        if (facts.repaired() > 0)
            what = facts.repaired() == 1 ? "1 loss" : human_count(facts.repaired()) + " losses";
        if (facts.timeouts.count > 0)
            what += (what.empty() ? "" : " and ") + counted(facts.timeouts.count, "timeout");
        finding.explanation = fmt::format("{} made the congestion window smaller: {} to {}, with {}.", what,
                                          cwnd_min, cwnd_max, sender.round_trip());
    } else if (facts.idle_restarts >= least_restarts) {
        finding.side = facts.is_initiator ? Finding::Side::initiator : Finding::Side::target;
        finding.title =
            fmt::format("{} restarted with a small congestion window after each idle period: {} {}",
                        facts.name(), human_percent(held_share), sender.of_its_time());
        finding.explanation = fmt::format(
            "Slow start after idle (RFC 5681 §4.1): each burst opens the window anew, in round trips of "
            "{}. Set net.ipv4.tcp_slow_start_after_idle=0 at {}, or keep the connection busy.",
            human_duration(rtt_ns), facts.name());
        finding.add_sign(
            fmt::format("{} the congestion window fell from up to {} to {} while nothing was sent, "
                        "without a loss",
                        counted(facts.idle_restarts, "time"), human_bytes(facts.cwnd_before_idle),
                        human_bytes(facts.cwnd_after_idle)));
    } else if (facts.summary->transitions() > 0 && sender.count(LossKind::spurious) > 0) {
        finding.explanation = fmt::format(
            "Nothing was lost, but packets out of order or late made TCP reduce its congestion window "
            "now and then: {} to {}.",
            cwnd_min, cwnd_max);
    } else if (rtt_grew(sender)) {
        finding.severity =
            Finding::Severity::information;  // what a sender that has enough to send always comes to
        finding.explanation = fmt::format(
            "The congestion window, {} at the most, is about what the path holds: the round-trip time "
            "grows with it, to {} on average (SRTT) from {} at least. The path does not carry more.",
            cwnd_max, human_duration(facts.summary->srtt_mean_ns()), human_duration(facts.rtt_min_ns()));
    } else if (facts.limited_ns(SendLimit::congestion) / many_round_trips > rtt_ns) {
        // Slow start would have opened it a thousandfold by then.
        finding.severity = Finding::Severity::information;
        finding.confidence = Finding::Confidence::possible;
        finding.explanation = fmt::format(
            "Nothing was lost, and over many round trips the congestion window, {} to {}, did not open "
            "further. The capture does not show what keeps it there: a congestion control that goes by "
            "delay or shares one window among connections, a limit set for the route, or many short "
            "bursts with slow start in each.",
            cwnd_min, cwnd_max);
    } else {
        finding.severity = Finding::Severity::information;  // slow start, as on every new connection
        finding.explanation = fmt::format(
            "There was no loss: the congestion window, {} to {}, was still growing (slow start), as on "
            "every connection that is new or was idle. Keep connections busy, and see "
            "tcp_slow_start_after_idle on Linux.",
            cwnd_min, cwnd_max);
    }
    sender.list.push_back(std::move(finding));
}

}  // namespace sanscope
