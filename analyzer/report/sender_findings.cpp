// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/sender_findings.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace sanscope {
namespace {

using Kind = Finding::Kind;
using Severity = Finding::Severity;

// Less of a sender's time nobody would notice.
constexpr double noticeable_share = 0.10;
// What costs less than this share of the time, and less than this at once, is not the answer to "why is it slow".
constexpr double small_share = 0.01;
constexpr int64_t long_silence_ns = 100'000'000;  // an application sees that
// One segment in so many lost halves what Reno gets through a path of a few milliseconds at 1 Gbit/s.
constexpr double serious_loss_rate = 1e-3;

void place_at(Finding& finding, const Spell& spell) {
    finding.begin_ns = spell.begin_ns;
    finding.end_ns = spell.end_ns;
    finding.packet = spell.packet;
}

void place_at(Finding& finding, const TimeProfile& profile) {
    const auto [begin_ns, end_ns] = profile.worst();
    if (begin_ns == end_ns) return;
    finding.begin_ns = begin_ns;
    finding.end_ns = end_ns;
}

class OfSender {
  public:
    OfSender(FindingList& list, const SenderFacts& facts) : list_(list), facts_(facts) {}

    void add() {
        timeouts();
        losses();
        needless();
        reordering();
        stalls();
        receiver_window();
        congestion();
        pacing();
    }

  private:
    uint64_t count(LossKind kind) const { return facts_.losses[static_cast<size_t>(kind)]; }
    Finding begin(Kind kind, Severity severity, int64_t cost_ns) const {
        Finding finding = facts_.finding(kind, severity);
        finding.cost_ns = cost_ns;
        return finding;
    }
    std::string share(SendLimit limit) const { return human_percent(facts_.limited_share(limit)); }
    std::string round_trip() const {
        const int64_t mean_ns = facts_.summary->srtt_mean_ns();
        return mean_ns == no_time ? "a round trip" : "a round trip of " + human_duration(mean_ns);
    }

    void timeouts() {
        const Spells& timeouts = facts_.timeouts;
        if (timeouts.count == 0) return;
        // Where nothing that a timeout sent again had really been lost, the path only delayed it.
        const bool only_late = facts_.losses[static_cast<size_t>(LossKind::rto)] == 0 &&
                               facts_.losses[static_cast<size_t>(LossKind::spurious)] > 0;
        const bool serious = timeouts.longest.length_ns() >= long_silence_ns ||
                             share_of(timeouts.total_ns, facts_.observed_ns()) >= noticeable_share;
        Finding finding = begin(only_late ? Kind::path_stall : Kind::retransmission_timeout,
                                serious ? Severity::problem : Severity::notice, timeouts.total_ns);
        place_at(finding, timeouts.longest);
        const std::string times = timeouts.count == 1 ? "once" : human_count(timeouts.count) + " times";
        const std::string how_long =
            timeouts.count == 1
                ? human_duration(timeouts.total_ns)
                : fmt::format("{} in all, {} at the longest", human_duration(timeouts.total_ns),
                              human_duration(timeouts.longest.length_ns()));
        if (only_late) {
            finding.title =
                fmt::format("The path from {} stood still {}: {}", facts_.name(), times, how_long);
            finding.explanation =
                "Nothing came through until a retransmission timeout had passed, and nothing had been lost: "
                "something on the path held the packets. Look for pause frames, a path that fails over, a "
                "virtual machine or a device that stops for a moment.";
        } else {
            finding.title = fmt::format("{} stood still until a retransmission timeout {}: {}", facts_.name(),
                                        times, how_long);
            finding.explanation =
                "So many packets were lost at once, or the last ones of a burst, that TCP had to wait for "
                "its "
                "timer. Look for full queues of switch ports and failing links at these moments.";
        }
        list_.push_back(std::move(finding));
    }

    void losses() {
        const uint64_t repaired = facts_.repaired();
        if (repaired == 0) return;
        const double rate = facts_.bytes() > 0 && facts_.lost_bytes > 0
                                ? static_cast<double>(facts_.lost_bytes) / static_cast<double>(facts_.bytes())
                                : 0;
        const int64_t cost_ns = facts_.limited_ns(SendLimit::recovery);
        const bool serious = facts_.limited_share(SendLimit::recovery) >= noticeable_share ||
                             (rate >= serious_loss_rate && facts_.is_bulk());
        Finding finding = begin(Kind::lost_segments, serious ? Severity::problem : Severity::notice, cost_ns);
        finding.title = fmt::format("{} of {} lost on the path", counted(repaired, "segment"), facts_.name());
        if (rate > 0) finding.title += fmt::format(" ({})", fine_percent(rate));
        if (facts_.limited_share(SendLimit::recovery) >= small_share) {
            finding.title += fmt::format("; repairs held it back {} of its time", share(SendLimit::recovery));
        }
        finding.explanation = fmt::format(
            "Sent again {}; each time what came behind had to wait at the receiver for {} or more, "
            "and the congestion window shrank. ",
            how_repaired(), round_trip());
        if (facts_.burst_losses >= 2) {
            finding.explanation +=
                fmt::format("The longest row of losses was {} in {}. ", human_count(facts_.burst_losses),
                            human_duration(facts_.burst.length_ns()));
        }
        finding.explanation += "Look at the drop and error counters of the ports between the two ends.";
        finding.packet = facts_.burst.packet;
        if (facts_.burst_losses >= 2) place_at(finding, facts_.burst);
        if (facts_.burst_losses < 2)
            place_at(finding, facts_.limited[static_cast<size_t>(SendLimit::recovery)]);
        list_.push_back(std::move(finding));
    }

    static std::string fine_percent(double rate) {
        return rate < 0.0005 ? fmt::format("{:.2g} %", rate * 100) : human_percent_of_small(rate);
    }
    static std::string human_percent_of_small(double rate) {
        return rate < 0.01 ? fmt::format("{:.2f} %", rate * 100) : human_percent(rate);
    }

    // "42 by fast retransmission, 2 after a timeout"
    std::string how_repaired() const {
        const std::pair<LossKind, std::string_view> ways[] = {
            {LossKind::fast_retransmit, "by fast retransmission"},
            {LossKind::rto, "after a timeout"},
            {LossKind::tlp, "by tail loss probe"},
        };
        std::string text;
        for (const auto& [kind, words] : ways) {
            if (count(kind) == 0) continue;
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", human_count(count(kind)), words);
        }
        return text;
    }

    void needless() {
        const uint64_t needless = count(LossKind::spurious);
        // Those of timeouts are told as a stall of the path.
        const bool told = facts_.timeouts.count > 0 && count(LossKind::rto) == 0;
        if (needless == 0 || told) return;
        Finding finding = begin(Kind::needless_retransmission, Severity::notice, 0);
        finding.packet = facts_.first_loss[static_cast<size_t>(LossKind::spurious)];
        finding.title = fmt::format("{} sent {} again though the first had arrived", facts_.name(),
                                    counted(needless, "segment"));
        finding.explanation =
            "Packets overtook each other on the path, or it held them up for longer than before, and TCP "
            "took "
            "them for lost. Look for links bundled packet by packet, several paths, or sudden delays.";
        list_.push_back(std::move(finding));
    }

    void reordering() {
        const uint64_t late = count(LossKind::out_of_order);
        // One in a thousand no sender minds.
        constexpr double least_rate = 1e-3;
        const double segments = static_cast<double>(facts_.bytes()) / facts_.mss();
        if (late < 3 || static_cast<double>(late) < least_rate * segments) return;
        Finding finding =
            begin(Kind::reordering, Severity::notice, facts_.summary->in_state_ns(CaState::disorder));
        finding.packet = facts_.first_loss[static_cast<size_t>(LossKind::out_of_order)];
        finding.title = fmt::format("{} of {} came out of order", counted(late, "segment"), facts_.name());
        finding.explanation =
            "Packets overtake each other on the path; TCP may take them for lost, and the receiver must hold "
            "what "
            "comes behind. Look for links bundled packet by packet rather than by connection.";
        list_.push_back(std::move(finding));
    }

    void stalls() {
        const Spells& stalls = facts_.stalls;
        const double share = share_of(stalls.total_ns, facts_.observed_ns());
        const bool worth_it = share >= small_share || stalls.longest.length_ns() >= long_silence_ns / 10;
        if (stalls.count == 0 || !worth_it) return;
        const bool serious = share >= noticeable_share || stalls.longest.length_ns() >= long_silence_ns;
        Finding finding =
            begin(Kind::zero_window_stall, serious ? Severity::problem : Severity::notice, stalls.total_ns);
        place_at(finding, stalls.longest);
        finding.title = fmt::format(
            "The receive window of {} was shut {}: {} in all, {} at the longest", facts_.other_name(),
            stalls.count == 1 ? "once" : human_count(stalls.count) + " times",
            human_duration(stalls.total_ns), human_duration(stalls.longest.length_ns()));
        finding.explanation = fmt::format(
            "It did not read its connection as fast as {} sent, which had to wait. Look at the "
            "receiving host: processor, memory, size of its socket buffer.",
            facts_.name());
        list_.push_back(std::move(finding));
    }

    void receiver_window() {
        const int64_t cost_ns = facts_.limited_ns(SendLimit::receiver) - facts_.stalls.total_ns;
        if (!facts_.is_bulk() || share_of(cost_ns, facts_.observed_ns()) < noticeable_share) return;
        Finding finding = begin(Kind::receiver_window, Severity::problem, cost_ns);
        place_at(finding, facts_.limited[static_cast<size_t>(SendLimit::receiver)]);
        finding.title = fmt::format("{} waited for room in the receive window of {} for {} of its time",
                                    facts_.name(), facts_.other_name(), share(SendLimit::receiver));
        const int64_t rtt_ns = facts_.summary->srtt_mean_ns();
        if (facts_.widest_window > 0 && rtt_ns > 0) {
            const double rate = static_cast<double>(facts_.widest_window) * 1e9 / static_cast<double>(rtt_ns);
            finding.explanation =
                fmt::format("At most {} were offered; over {} that is {} at the most. ",
                            human_binary_bytes(facts_.widest_window), round_trip(), human_rate(rate));
        }
        finding.explanation +=
            "Let the receiving host take larger socket buffers (tcp_rmem on Linux), and see whether it reads "
            "fast "
            "enough.";
        list_.push_back(std::move(finding));
    }

    void congestion() {
        if (!facts_.is_bulk()) return;
        if (facts_.fills_path()) return full_path();
        const double held_share = facts_.limited_share(SendLimit::congestion);
        if (held_share < noticeable_share) return;
        Finding finding =
            begin(Kind::congestion_window, Severity::notice, facts_.limited_ns(SendLimit::congestion));
        place_at(finding, facts_.limited[static_cast<size_t>(SendLimit::congestion)]);
        finding.title = fmt::format("{} waited for its congestion window {} of its time", facts_.name(),
                                    human_percent(held_share));
        if (facts_.ecn_reductions > 0) {
            finding.explanation = fmt::format(
                "The path marked packets as congested, and the window was reduced {} for it: its bandwidth "
                "is "
                "used up, or its marking threshold is low.",
                facts_.ecn_reductions == 1 ? "once" : human_count(facts_.ecn_reductions) + " times");
        } else if (facts_.repaired() > 0) {
            finding.explanation = fmt::format(
                "Losses keep the window small: {} to {} over {}. Without them it would grow until the "
                "path is full.",
                human_bytes(facts_.summary->cwnd_min()), human_bytes(facts_.summary->cwnd_max()),
                round_trip());
        } else if (facts_.queued_share() >= noticeable_share) {
            finding.explanation = fmt::format(
                "The window ({} at the most) is as much as the path holds: for {} of the time data waited in "
                "a queue "
                "on it.",
                human_bytes(facts_.summary->cwnd_max()), human_percent(facts_.queued_share()));
        } else {
            finding.explanation = fmt::format(
                "There was no loss: the window was still growing ({} to {}), as it does on a new connection "
                "and on "
                "one that was idle. Keep connections busy, and see tcp_slow_start_after_idle on Linux.",
                human_bytes(facts_.summary->cwnd_min()), human_bytes(facts_.summary->cwnd_max()));
        }
        list_.push_back(std::move(finding));
    }

    void full_path() {
        Finding finding = begin(Kind::path_full, Severity::notice, facts_.queued_ns);
        place_at(finding, facts_.queued);
        const double rate = facts_.queued_bytes * 1e9 / static_cast<double>(facts_.queued_ns);
        finding.title = fmt::format("The path from {} is full at {}: round trip {} rather than {}",
                                    facts_.name(), human_rate(rate), human_duration(facts_.queued_srtt_ns),
                                    human_duration(facts_.rtt_min_ns()));
        finding.explanation = fmt::format(
            "For {} of its time more was sent than the path carries, and the rest waited in a queue on it. "
            "Either "
            "{} is what this path has (link speed, shaping, other traffic), or a port on it is slower than "
            "it should be.",
            human_percent(facts_.queued_share()), human_rate(rate));
        list_.push_back(std::move(finding));
    }

    void pacing() {
        const double held_share = facts_.limited_share(SendLimit::pacing);
        if (!facts_.is_bulk() || facts_.fills_path() || held_share < noticeable_share) return;
        Finding finding = begin(Kind::pacing, Severity::information, facts_.limited_ns(SendLimit::pacing));
        place_at(finding, facts_.limited[static_cast<size_t>(SendLimit::pacing)]);
        finding.title =
            fmt::format("{} paced itself for {} of its time", facts_.name(), human_percent(held_share));
        finding.explanation =
            "Its congestion control (BBR) sends at the rate it measured as the path's, rather than as "
            "acknowledgements come. That is no trouble unless the rate is below what the path should carry.";
        list_.push_back(std::move(finding));
    }

    FindingList& list_;
    const SenderFacts& facts_;
};

// Both sides of a connection stand still at once when the path does: the longer silence tells of both.
bool other_side_tells_timeouts(const SenderFacts& facts, std::span<const SenderFacts> senders) {
    return std::ranges::any_of(senders, [&](const SenderFacts& other) {
        if (other.number != facts.number || &other == &facts) return false;
        if (other.timeouts.total_ns != facts.timeouts.total_ns) {
            return other.timeouts.total_ns > facts.timeouts.total_ns;
        }
        return &other < &facts && other.timeouts.count > 0;
    });
}

}  // namespace

void add_sender_findings(FindingList& list, std::span<const SenderFacts> senders) {
    for (const SenderFacts& facts : senders) {
        FindingList own;
        OfSender(own, facts).add();
        const bool told_by_other = other_side_tells_timeouts(facts, senders);
        for (Finding& finding : own) {
            const bool of_timeout =
                finding.kind == Kind::retransmission_timeout || finding.kind == Kind::path_stall;
            if (!of_timeout || !told_by_other) list.push_back(std::move(finding));
        }
    }
}

}  // namespace sanscope
