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
constexpr uint64_t least_losses = 10;  // make a rate
constexpr uint64_t least_burst = 3;    // losses

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
                "its timer. Look for full queues of switch ports and failing links at these moments.";
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
        // One or two now and then cost nothing that anyone would see; what waited for them is told as slow commands.
        const bool cheap = facts_.limited_share(SendLimit::recovery) < small_share;
        if (repaired < least_burst && cheap) return;
        const bool serious = facts_.limited_share(SendLimit::recovery) >= noticeable_share ||
                             (rate >= serious_loss_rate && repaired >= least_losses);
        Finding finding = begin(Kind::lost_segments, serious ? Severity::problem : Severity::notice, cost_ns);
        finding.title = fmt::format("{} of {} lost on the path", counted(repaired, "segment"), facts_.name());
        if (rate > 0) finding.title += fmt::format(" ({})", fine_percent(rate));
        if (facts_.limited_share(SendLimit::recovery) >= small_share) {
            finding.title += fmt::format("; repairs held it back {} of its time", share(SendLimit::recovery));
        }
        finding.explanation = fmt::format(
            "{}; each time what came behind had to wait at the receiver for {} or more, and the congestion "
            "window shrank. ",
            how_repaired(), round_trip());
        if (facts_.burst_losses >= least_burst) {
            const int64_t length_ns = facts_.burst.length_ns();
            finding.explanation +=
                fmt::format("The worst burst: {} {}. ", human_count(facts_.burst_losses),
                            length_ns == 0 ? "at once" : "in " + human_duration(length_ns));
        }
        finding.explanation += "Look at the drop and error counters of the ports between the two ends.";
        if (facts_.burst_losses >= least_burst) {
            place_at(finding, facts_.burst);
        } else {
            place_at(finding, facts_.limited[static_cast<size_t>(SendLimit::recovery)]);
            if (finding.begin_ns == no_time) finding.packet = facts_.burst.packet;
        }
        list_.push_back(std::move(finding));
    }

    static std::string fine_percent(double rate) {
        return rate < 0.0005 ? fmt::format("{:.2g} %", rate * 100) : human_percent_of_small(rate);
    }
    static std::string human_percent_of_small(double rate) {
        return rate < 0.01 ? fmt::format("{:.2f} %", rate * 100) : human_percent(rate);
    }

    // "42 were repaired by fast retransmission, 2 after a timeout"
    std::string how_repaired() const {
        const std::pair<LossKind, std::string_view> ways[] = {
            {LossKind::fast_retransmit, "by fast retransmission"},
            {LossKind::rto, "after a timeout"},
            {LossKind::tlp, "by tail loss probe"},
        };
        const bool one = facts_.repaired() == 1;
        const std::string all = one ? "It" : "All";
        std::string text;
        for (const auto& [kind, words] : ways) {
            if (count(kind) == 0) continue;
            const std::string number = count(kind) == facts_.repaired() ? all : human_count(count(kind));
            text += fmt::format("{}{} {}", text.empty() ? number : ", " + number,
                                !text.empty()      ? ""
                                : count(kind) == 1 ? " was repaired"
                                                   : " were repaired",
                                words);
        }
        return text;
    }

    void needless() {
        const uint64_t needless = count(LossKind::spurious);
        // Those of timeouts are told as a stall of the path, those of packets that overtook each other with these.
        const bool told = (facts_.timeouts.count > 0 && count(LossKind::rto) == 0) || is_reordered();
        if (needless < least_burst || told) return;
        Finding finding = begin(Kind::needless_retransmission, Severity::notice, 0);
        finding.packet = facts_.first_loss[static_cast<size_t>(LossKind::spurious)];
        finding.title = fmt::format("{} sent {} again though the first had arrived", facts_.name(),
                                    counted(needless, "segment"));
        finding.explanation =
            "Packets overtook each other on the path, or it held them up for longer than before, and TCP "
            "took them for lost. Look for links bundled packet by packet, several paths, or sudden delays.";
        list_.push_back(std::move(finding));
    }

    bool is_reordered() const {
        // One in a thousand no sender minds.
        constexpr double least_rate = 1e-3;
        const double segments = static_cast<double>(facts_.bytes()) / facts_.mss();
        const uint64_t late = count(LossKind::out_of_order);
        return late >= least_burst && static_cast<double>(late) >= least_rate * segments;
    }

    void reordering() {
        if (!is_reordered()) return;
        Finding finding =
            begin(Kind::reordering, Severity::notice, facts_.summary->in_state_ns(CaState::disorder));
        finding.packet = facts_.first_loss[static_cast<size_t>(LossKind::out_of_order)];
        finding.title = fmt::format("{} of {} came out of order",
                                    counted(count(LossKind::out_of_order), "segment"), facts_.name());
        const uint64_t needless = count(LossKind::spurious);
        finding.explanation = fmt::format(
            "Packets overtake each other on the path; the receiver must hold what comes behind{}. Look for "
            "links bundled packet by packet rather than by connection.",
            needless == 0
                ? ""
                : fmt::format(", and TCP sent {} again that had arrived", counted(needless, "segment")));
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
            "It did not read its connection as fast as {} sent, which had to wait. Look at the receiving "
            "host: processor, memory, size of its socket buffer.",
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
            "fast enough.";
        list_.push_back(std::move(finding));
    }

    void congestion() {
        if (!facts_.is_bulk()) return;
        if (facts_.queues_on_path()) return path_queue();
        const double held_share = facts_.limited_share(SendLimit::congestion);
        // A window that is full now and then is a window at work.
        constexpr double least_share = 0.2;
        if (held_share < least_share) return;
        Finding finding =
            begin(Kind::congestion_window, Severity::notice, facts_.limited_ns(SendLimit::congestion));
        place_at(finding, facts_.limited[static_cast<size_t>(SendLimit::congestion)]);
        finding.title = fmt::format("{} waited for its congestion window {} of its time", facts_.name(),
                                    human_percent(held_share));
        const std::string cwnd_min = human_bytes(facts_.summary->cwnd_min());
        const std::string cwnd_max = human_bytes(facts_.summary->cwnd_max());
        if (facts_.ecn_reductions > 0) {
            finding.explanation = fmt::format(
                "The path marked packets as congested, and the window was reduced {} for it: its bandwidth "
                "is used up, or its marking threshold is low.",
                facts_.ecn_reductions == 1 ? "once" : human_count(facts_.ecn_reductions) + " times");
        } else if (facts_.repaired() > 0 || facts_.timeouts.count > 0) {
            const std::string_view what = facts_.timeouts.count == 0 ? "Losses"
                                          : facts_.repaired() == 0   ? "Timeouts"
                                                                     : "Losses and timeouts";
            finding.explanation = fmt::format(
                "{} made the window small again and again: {} to {} over {}. Without them it would grow "
                "until the path is full.",
                what, cwnd_min, cwnd_max, round_trip());
        } else if (facts_.summary->transitions() > 0 && count(LossKind::spurious) > 0) {
            finding.explanation = fmt::format(
                "Nothing was lost, but packets out of order or late made TCP take its window back now and "
                "then: {} to {}.",
                cwnd_min, cwnd_max);
        } else if (rtt_grew()) {
            finding.explanation = fmt::format(
                "The window, {} at the most, is about what the path holds: the round trip grows with it, to "
                "{} rather than {} on average. More the path does not carry.",
                cwnd_max, human_duration(facts_.summary->srtt_mean_ns()),
                human_duration(facts_.rtt_min_ns()));
        } else {
            finding.explanation = fmt::format(
                "There was no loss: the window, {} to {}, had yet to grow, as it must on a new connection "
                "and on one that was idle. Keep connections busy, and see tcp_slow_start_after_idle on "
                "Linux.",
                cwnd_min, cwnd_max);
        }
        list_.push_back(std::move(finding));
    }

    bool rtt_grew() const {
        const int64_t mean_ns = facts_.summary->srtt_mean_ns();
        const int64_t least_ns = facts_.rtt_min_ns();
        constexpr double clearly = 1.3;
        return mean_ns != no_time && least_ns != no_time &&
               static_cast<double>(mean_ns) >= clearly * static_cast<double>(least_ns);
    }

    void path_queue() {
        Finding finding = begin(Kind::path_queue, Severity::notice, facts_.queued_ns);
        place_at(finding, facts_.queued);
        finding.title =
            fmt::format("Data of {} queued on the path at {}: round trip {} rather than {}", facts_.name(),
                        human_rate(facts_.queued_rate()), human_duration(facts_.queued_srtt_ns),
                        human_duration(facts_.rtt_min_ns()));
        finding.explanation = fmt::format(
            "For {} of its time more was under way than the path carries, and the rest waited in a queue. "
            "Either that rate is what this path has (link speed, shaping, other traffic), or a port on it is "
            "slower than it should be.",
            human_percent(facts_.queued_share()));
        list_.push_back(std::move(finding));
    }

    void pacing() {
        const double held_share = facts_.limited_share(SendLimit::pacing);
        if (!facts_.is_bulk() || facts_.queues_on_path() || held_share < noticeable_share) return;
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

// A queue makes the round trip longer for both sides, whose data are in it: those that move more.
bool other_side_queues_more(const SenderFacts& facts, std::span<const SenderFacts> senders) {
    return std::ranges::any_of(senders, [&](const SenderFacts& other) {
        return other.number == facts.number && &other != &facts && other.queues_on_path() &&
               other.queued_rate() > facts.queued_rate();
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
            const bool of_queue = finding.kind == Kind::path_queue;
            if (of_queue && other_side_queues_more(facts, senders)) continue;
            if (!of_timeout || !told_by_other) list.push_back(std::move(finding));
        }
    }
}

}  // namespace sanscope
