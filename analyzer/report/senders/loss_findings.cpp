// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/senders/loss_findings.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "analyzer/report/senders/reordering_findings.h"

namespace sanscope {
namespace {

using Kind = Finding::Kind;

constexpr uint64_t least_burst = 3;  // losses

std::string human_percent_of_small(double rate) {
    return rate < 0.01 ? fmt::format("{:.2f} %", rate * 100) : human_percent(rate);
}

std::string fine_percent(double rate) {
    return rate < 0.0005 ? fmt::format("{:.2g} %", rate * 100) : human_percent_of_small(rate);
}

constexpr std::pair<LossKind, std::string_view> ways_of_repair[] = {
    {LossKind::fast_retransmit, "by fast retransmit"},
    {LossKind::rto, "after a timeout"},
    {LossKind::tlp, "by tail loss probe"},
};

// "42 were repaired by fast retransmission, 2 after a timeout"
std::string how_repaired(const OfSender& sender) {
    const SenderFacts& facts = sender.facts;
    const bool one = facts.repaired() == 1;
    // What was lost again, or with nothing behind it, shows at the sender alone.
    const std::string all = one ? "It" : sender.captured_at_sender() ? "All" : "All that show";
    std::string text;
    for (const auto& [kind, words] : ways_of_repair) {
        if (sender.count(kind) == 0) continue;
        const std::string number =
            sender.count(kind) == facts.repaired() ? all : human_count(sender.count(kind));
        text += fmt::format("{}{} {}", text.empty() ? number : ", " + number,
                            !text.empty()             ? ""
                            : sender.count(kind) == 1 ? " was recovered"
                                                      : " were recovered",
                            words);
    }
    return text;
}

// Or nobody knows.
bool may_lack_sack(const OfSender& sender) {
    const SenderFacts& facts = sender.facts;
    const SynOptionsRow& out = facts.connection->out.syn;
    const SynOptionsRow& in = facts.connection->in.syn;
    return !out.known || !in.known || !out.sack_permitted || !in.sack_permitted;
}

// Of what it sent again, the sender's capture does not tell whether the first copy came as well, only later: where the receiver
// does not say so in D-SACKs, duplicate ACKs do, though not for which.
bool may_have_been_late(const OfSender& sender) {
    const SenderFacts& facts = sender.facts;
    constexpr uint64_t part = 4;
    constexpr uint64_t least = 3;
    const uint64_t late =
        facts.summary->unasked_acks() + (may_lack_sack(sender) ? facts.summary->path_reordered() : 0);
    return sender.captured_at_sender() && late >= least && late * part >= facts.repaired();
}

// Of those that were sent again, which bring only the rest of a segment of which another brought the beginning; 0 where not all of
// the capture is told of.
uint64_t sent_again_in_parts(const OfSender& sender) {
    const SenderSummary& summary = *sender.facts.summary;
    uint64_t rests = 0;
    for (const auto& [kind, words] : ways_of_repair) {
        if (summary.losses(kind) != sender.count(kind)) return 0;
        rests += summary.losses(kind) - summary.lost(kind);
    }
    return rests;
}

}  // namespace

void add_losses(const OfSender& sender) {
    const SenderFacts& facts = sender.facts;
    const uint64_t repaired = facts.repaired();
    if (repaired == 0) return;
    const double rate = facts.bytes() > 0 && facts.lost_bytes > 0
                            ? static_cast<double>(facts.lost_bytes) / static_cast<double>(facts.bytes())
                            : 0;
    const int64_t cost_ns = facts.limited_ns(SendLimit::recovery);
    // One or two now and then cost nothing that anyone would see; what waited for them is told as slow commands.
    // A tail loss probe is sent on suspicion: one that nothing of the receiver confirms shows no loss.
    const bool repaired_something = sender.in_state_ns(CaState::recovery) +
                                        sender.in_state_ns(CaState::loss) + sender.in_state_ns(CaState::cwr) >
                                    0;
    if (repaired == sender.count(LossKind::tlp) && facts.has_windows && !repaired_something) return;
    const bool costs_much = facts.limited_share(SendLimit::recovery) >= OfSender::noticeable_share;
    if (repaired < least_burst && (!costs_much || facts.timeouts.count > 0)) return;
    // Where so many others had arrived, packets overtook each other, and not each of those is told of.
    const uint64_t needless = sender.count(LossKind::spurious);
    const bool in_doubt = 2 * needless >= repaired;
    // Where they are the few among those that had arrived, what recovery took was not theirs.
    constexpr uint64_t few_among = 4;
    if (in_doubt && (!costs_much || (needless >= few_among * repaired && is_reordered(sender)))) return;
    const bool serious = facts.limited_share(SendLimit::recovery) >= OfSender::noticeable_share ||
                         (rate >= OfSender::serious_loss_rate && repaired >= OfSender::least_losses &&
                          facts.limited_share(SendLimit::recovery) >= OfSender::small_share);
    Finding finding = sender.begin(Kind::lost_segments,
                                   serious ? Finding::Severity::problem : Finding::Severity::notice, cost_ns);
    // Among the copies of a mirror port, some that the path itself had duplicated are taken for retransmissions.
    constexpr uint64_t few = 100;
    if (sender.count(LossKind::duplicate) / few > repaired || facts.is_mirrored()) {
        finding.severity = Finding::Severity::notice;
        finding.confidence = Finding::Confidence::possible;
    }
    // Before a timer expired nothing came that told of them: their acknowledgements may have been lost in their place.
    const bool by_timer =
        sender.captured_at_sender() && sender.count(LossKind::rto) + sender.count(LossKind::tlp) == repaired;
    const bool in_part = sender.lacks_much();
    const bool maybe_late = !by_timer && !in_part && may_have_been_late(sender);
    if (by_timer || maybe_late || in_part) finding.confidence = Finding::Confidence::possible;
    if (maybe_late || in_part) finding.severity = Finding::Severity::notice;
    finding.title = fmt::format("{} of {}{} lost on the path{}", counted(repaired, "segment"), facts.name(),
                                by_timer ? ", or what acknowledged them," : "",
                                in_part      ? ", or late: much of what it sent is not in the capture"
                                : maybe_late ? ", or late"
                                             : "");
    if (rate > 0 && !in_part) finding.title += fmt::format(" ({})", fine_percent(rate));
    if (!in_part && facts.limited_share(SendLimit::recovery) >= OfSender::small_share) {
        finding.title += fmt::format("; loss recovery took {} {}", sender.share(SendLimit::recovery),
                                     sender.of_its_time());
    }
    finding.add_sign(
        sender.captured_at_sender()
            ? fmt::format("{} passed the capture twice: lost after it, on the way to {}{}",
                          counted(repaired, "segment"), facts.other_name(),
                          by_timer     ? ", or arrived, and the acknowledgement was lost"
                          : maybe_late ? ", or late"
                                       : "")
            : fmt::format("{} arrived late and filled gaps at the receiver", counted(repaired, "segment")));
    if (const uint64_t rests = sent_again_in_parts(sender); rests > 0) {
        finding.add_sign(fmt::format("{} of them {} the rest of a segment that was retransmitted in parts",
                                     human_count(rests), rests == 1 ? "is" : "are"));
    }
    if (in_part) {
        finding.add_sign(sender.missing_sign());
    } else if (facts.summary->in_state_ns(CaState::recovery) + facts.summary->in_state_ns(CaState::loss) >
               0) {
        finding.add_sign(fmt::format(
            "its TCP was in state Recovery or Loss for {}, as duplicate ACKs, SACK or a timeout show",
            human_duration(facts.summary->in_state_ns(CaState::recovery) +
                           facts.summary->in_state_ns(CaState::loss))));
    }
    if (maybe_late) {
        const uint64_t answers = facts.summary->unasked_acks();
        finding.add_sign(
            answers > 0 ? fmt::format("{} answered {} as it does what it has already, without D-SACK",
                                      facts.other_name(), counted(answers, "segment"))
                        : fmt::format("duplicate ACKs reported {} that late segments filled; without SACK "
                                      "nothing tells these from losses",
                                      counted(facts.summary->path_reordered(), "gap")));
    }
    if (in_part) {
        finding.explanation =
            "Much of what it sent is missing from the capture: how many were lost, whether what was sent "
            "again had been lost, and how long recovery took is not known. ";
    } else {
        finding.explanation = fmt::format(
            "{}; each time later data had to wait at the receiver for at least {}, and the congestion "
            "window was reduced. ",
            how_repaired(sender), sender.round_trip());
    }
    if (maybe_late) {
        finding.explanation +=
            "Packets that overtake each other by more than a round trip look the same: see whether link "
            "aggregation or multipath balances by packet, and capture at the receiver too. ";
    }
    if (facts.burst_losses >= least_burst) {
        const int64_t length_ns = facts.burst.length_ns();
        finding.explanation += fmt::format("The worst burst: {} {}. ", human_count(facts.burst_losses),
                                           length_ns == 0 ? "at once" : "in " + human_duration(length_ns));
    }
    const bool overflow = facts.has_bottleneck();
    if (overflow) {
        finding.add_sign(
            fmt::format("the path was full: {}, with a round-trip time of {} under load and {} without",
                        human_rate(facts.queued_rate()), human_duration(facts.queued_srtt_ns),
                        human_duration(facts.rtt_min_ns())));
        finding.explanation += fmt::format(
            "A queue before a bottleneck of {} overflowed: it takes larger buffers at that port, fewer "
            "senders at once, or a faster link.",
            human_rate(facts.queued_rate()));
    } else {
        finding.explanation += fmt::format(
            "Look at the drop and error counters of the ports on the way to {}{}, for full queues and "
            "bad "
            "links.",
            facts.other_name(), by_timer ? " and back" : "");
    }
    if (facts.burst_losses >= least_burst) {
        place_at(finding, facts.burst);
    } else {
        place_at(finding, facts.limited[static_cast<size_t>(SendLimit::recovery)]);
        if (finding.begin_ns == no_time) finding.packet = facts.burst.packet;
    }
    sender.list.push_back(std::move(finding));
}

}  // namespace sanscope
