// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/sender_findings.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/report/missing_packets.h"

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
constexpr double serious_share = 0.25;
// What a link of 1 Gbit/s carries: a sender that moves as much is not to be called slow.
constexpr double plenty = 125e6;
// On shorter paths a window of any size moves plenty, and a full one says that something else is at its limit.
constexpr int64_t least_long_path_ns = 2'000'000;
constexpr uint64_t least_restarts = 2;
constexpr uint64_t least_ack_waits = 5;
// Slow start doubles the window in each: it is over before.
constexpr int64_t many_round_trips = 30;

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
    // `acks_do_not_arrive`: of what it last sent not even the acknowledgements reached the other side.
    OfSender(FindingList& list, const SenderFacts& facts, bool acks_do_not_arrive)
        : list_(list), facts_(facts), acks_do_not_arrive_(acks_do_not_arrive) {}

    void add() {
        // Without the other direction nobody knows what was acknowledged.
        if (facts_.is_not_judged()) return;
        if (all_twice()) return;
        clock_jump();
        if (black_hole()) return;
        timeouts();
        lost_acknowledgements();
        losses();
        needless();
        reordering();
        stalls();
        receiver_window();
        congestion();
        ack_waits();
        pacing();
    }

  private:
    int64_t in_state_ns(CaState state) const { return facts_.summary->in_state_ns(state); }
    uint64_t count(LossKind kind) const { return facts_.losses[static_cast<size_t>(kind)]; }
    Finding begin(Kind kind, Severity severity, int64_t cost_ns) const {
        Finding finding = facts_.finding(kind, severity);
        finding.side = Finding::Side::path;
        finding.cost_ns = cost_ns;
        return finding;
    }
    // "of its busy time": while commands were under way, where these are known.
    std::string_view of_its_time() const { return facts_.knows_busy() ? "of its busy time" : "of its time"; }
    const SentDataRow& sent() const {
        return facts_.is_initiator ? facts_.connection->out : facts_.connection->in;
    }
    // Copies that come late enough look like other packets.
    bool is_doubled() const {
        const uint64_t seen =
            facts_.is_initiator ? facts_.connection->packets_out : facts_.connection->packets_in;
        return facts_.is_mirrored() || 4 * count(LossKind::duplicate) >= seen;
    }
    bool lacks_much() const {
        return much_is_missing(*facts_.connection, facts_.is_initiator ? Role::initiator : Role::target,
                               count(LossKind::not_captured));
    }
    std::string missing_sign() const {
        return fmt::format("at {} segments that were acknowledged are not in the capture",
                           counted(count(LossKind::not_captured), "place"));
    }
    // What was lost, or came, unseen may be what it waited for, and for less long.
    void doubt_if_much_is_missing(Finding& finding) const {
        if (!lacks_much()) return;
        finding.severity = std::max(finding.severity, Severity::notice);
        finding.confidence = Finding::Confidence::possible;
        finding.add_sign(missing_sign());
        finding.explanation +=
            " Much of what it sent is missing from the capture: what it waited for, and for how long, is in "
            "doubt.";
    }
    bool captured_at_sender() const { return facts_.captured_at_sender(); }

    // Captures of both ends put together, or of two places on the path: what passes the second time later than the next few
    // packets looks sent again.
    bool all_twice() {
        if (!facts_.is_all_twice()) return false;
        const uint64_t copies = count(LossKind::duplicate);
        Finding finding = begin(Kind::captured_twice, Severity::notice, 0);
        finding.side = Finding::Side::capture;
        finding.doubts_connection = true;
        finding.title = fmt::format("Nearly all that {} sent is in the capture twice: losses cannot be told",
                                    facts_.name());
        finding.explanation =
            "As where captures of two places are merged. Analyse one of them alone: here nothing is said of "
            "TCP, and times of commands may be of either place.";
        if (copies > 0)
            finding.add_sign(fmt::format("{} are the same packet again", counted(copies, "segment")));
        finding.add_sign(fmt::format("{} {}look retransmitted; together they are half of all",
                                     counted(facts_.repaired() + count(LossKind::spurious), "segment"),
                                     copies > 0 ? "more " : ""));
        list_.push_back(std::move(finding));
        return true;
    }

    void clock_jump() {
        const Spells& jumps = facts_.clock_jumps;
        if (jumps.count == 0) return;
        Finding finding = begin(Kind::capture_issue, Severity::notice, 0);
        finding.side = Finding::Side::capture;
        finding.doubts_durations = true;
        place_at(finding, jumps.longest);
        const std::string length = human_duration(jumps.longest.length_ns());
        const uint64_t missing = count(LossKind::not_captured);
        finding.title =
            missing == 0
                ? fmt::format(
                      "The capture's clock jumped ahead by {} in packet {}, or both hosts stood still",
                      length, jumps.longest.packet)
                : fmt::format(
                      "Nothing was captured for {} before packet {}, or the capture's clock jumped "
                      "ahead, or both hosts stood still",
                      length, jumps.longest.packet);
        finding.explanation =
            "Commands that were outstanding across it are not judged by their time. A clock that was set, "
            "two files merged into one, a recording that paused, or hosts that were suspended look like "
            "this.";
        if (facts_.clocks_stood_still) {
            finding.add_sign("nothing passed, and by the TCP timestamps (TSval) of both hosts no time did");
        } else {
            finding.add_sign(fmt::format(
                "data of {} were unacknowledged all that time, and no retransmission was captured",
                facts_.name()));
        }
        if (missing > 0) {
            finding.add_sign(fmt::format("{} of its data that were acknowledged are not in the capture",
                                         counted(missing, "segment")));
        }
        list_.push_back(std::move(finding));
    }

    // What is large never arrives, what is small does: a hop with a smaller MTU that says nothing (RFC 2923 §2.1).
    bool black_hole() {
        const SentDataRow& data = sent();
        constexpr int64_t least_silence_ns = 500'000'000;
        constexpr uint32_t least_large = 1000;  // bytes; any path carries that
        const int64_t silence_ns = elapsed_ns(data.acknowledged_ns, facts_.connection->end_ns);
        if (data.unacknowledged == 0 || silence_ns < least_silence_ns || data.answers_since == 0)
            return false;
        if (acks_do_not_arrive_) return false;
        const uint32_t mss = facts_.mss();
        if (mss < least_large) return false;
        // A full segment once arrived: the path carries them.
        const uint32_t full = mss - std::min(mss, 60u);  // options take some of it
        if (data.largest_acknowledged >= full) return false;
        const bool sent_full = data.largest_payload >= full;
        // Captured behind the hop, nothing full is seen at all, and a hole as wide as one or more.
        // Without their SYNs nobody knows how large a full segment is: what passed may be all that was to be sent.
        const bool hole =
            !sent_full && !captured_at_sender() && data.unacknowledged >= full && facts_.mss_is_agreed();
        if (!sent_full && !hole) return false;
        const uint64_t again = count(LossKind::rto) + count(LossKind::fast_retransmit) +
                               count(LossKind::tlp) + count(LossKind::spurious);
        if (sent_full && again < 2) return false;
        Finding finding = begin(Kind::mtu_black_hole, Severity::problem, silence_ns);
        finding.begin_ns = data.acknowledged_ns;
        finding.end_ns = facts_.connection->end_ns;
        finding.packet = facts_.first_loss[static_cast<size_t>(LossKind::rto)];
        const std::string small =
            data.largest_acknowledged == 0
                ? "smaller ones did"
                : fmt::format("segments of up to {} did", counted_exactly(data.largest_acknowledged, "byte"));
        finding.title = fmt::format("{} packets of {} never arrive, {}: the path's MTU is smaller",
                                    facts_.mss_is_agreed() ? "Full-size" : "Large", facts_.name(), small);
        finding.explanation = fmt::format(
            "{}ome hop drops packets of that size. Set the MTU alike on both hosts and every switch port "
            "between them; jumbo frames are the usual cause.",
            facts_.mss_is_agreed() ? fmt::format("The hosts agreed on segments of {} (an MTU of {}), and s",
                                                 counted_exactly(mss, "byte"), mss + tcp_and_ip_headers())
                                   : "What segment size the hosts agreed on is not in the capture. S");
        if (sent_full) {
            finding.add_sign(
                fmt::format("segments of {} were retransmitted {}, and not one was ever acknowledged",
                            counted_exactly(data.largest_payload, "byte"), counted(again, "time")));
        } else {
            finding.add_sign(fmt::format(
                "{} never arrived though later ones did; no segment was larger than {}, and the MSS is {}",
                counted_exactly(data.unacknowledged, "byte"), counted_exactly(data.largest_payload, "byte"),
                mss));
        }
        finding.add_sign(
            fmt::format("for {} the other side went on sending, {}, and acknowledged nothing new",
                        human_duration(silence_ns), counted(data.answers_since, "segment")));
        list_.push_back(std::move(finding));
        return true;
    }
    // Without options: what the MSS leaves room for (RFC 6691).
    uint32_t tcp_and_ip_headers() const {
        constexpr uint32_t of_ipv4 = 40;
        constexpr uint32_t of_ipv6 = 60;
        return facts_.connection->target.address.is_v4() ? of_ipv4 : of_ipv6;
    }
    std::string share(SendLimit limit) const { return human_percent(facts_.limited_share(limit)); }
    std::string round_trip() const {
        const int64_t mean_ns = facts_.summary->srtt_mean_ns();
        return mean_ns == no_time ? "a round trip"
                                  : fmt::format("a round trip (SRTT {})", human_duration(mean_ns));
    }

    void timeouts() {
        const Spells& timeouts = facts_.timeouts;
        if (timeouts.count == 0) return;
        // Where nothing that a timeout sent again had really been lost, the path only delayed it: unless it was what the
        // timer sent that brought the acknowledgement, and the one before was lost.
        const bool arrived = count(LossKind::rto) == 0 && count(LossKind::spurious) > 0;
        const bool answer_lost =
            arrived && facts_.timeouts_answered >= timeouts.count && !facts_.others_stood_still;
        // Or the timer repaired what had been lost all the while, along with what had not been.
        const Spell& longest = timeouts.longest;
        const bool some_lost =
            2 * facts_.lost.overlap_ns(longest.begin_ns, longest.end_ns) >= longest.length_ns();
        const bool only_late = arrived && !answer_lost && !some_lost;
        const bool serious = timeouts.longest.length_ns() >= long_silence_ns ||
                             share_of(timeouts.total_ns, facts_.observed_ns()) >= noticeable_share;
        Finding finding = begin(only_late ? Kind::path_stall : Kind::retransmission_timeout,
                                serious ? Severity::problem : Severity::notice, timeouts.total_ns);
        place_at(finding, timeouts.longest);
        // Nobody waits for the FIN of a connection that has done its work.
        const int64_t fin_ns = sent().fin_ns;
        const bool while_closing =
            fin_ns != no_time && timeouts.count == 1 && fin_ns < timeouts.longest.end_ns &&
            (facts_.busy == nullptr ||
             facts_.busy->overlap_ns(timeouts.longest.begin_ns, timeouts.longest.end_ns) == 0);
        if (while_closing) finding.severity = Severity::information;
        delayed_nothing(finding);
        finding.add_sign(fmt::format("none of its data was acknowledged for {}",
                                     human_duration(timeouts.longest.length_ns())));
        const std::string times = timeouts.count == 1 ? "once" : human_count(timeouts.count) + " times";
        const std::string how_long =
            timeouts.count == 1
                ? human_duration(timeouts.total_ns)
                : fmt::format("{} in all, {} at the longest", human_duration(timeouts.total_ns),
                              human_duration(timeouts.longest.length_ns()));
        if (only_late) {
            finding.sender = Finding::Sender::unknown;
            finding.title = fmt::format("The path between {} and {} stood still {}: {}", facts_.name(),
                                        facts_.other_name(), times, how_long);
            finding.explanation =
                "Nothing got through until a retransmission timeout (RTO) had passed, and none of these data "
                "had been lost: something on the path held the packets, or dropped what came the other way. "
                "Look for pause frames, a path failover, a link that was down, or a virtual machine or "
                "device "
                "that stops for a moment.";
            finding.add_sign(fmt::format(
                "{} retransmitted after the timeout had arrived before (TCP timestamps or D-SACK)",
                counted(count(LossKind::spurious), "segment")));
        } else {
            finding.title = fmt::format("{} waited for a retransmission timeout (RTO) {}: {}", facts_.name(),
                                        times, how_long);
            if (answer_lost) {
                finding.sender = facts_.is_initiator ? Finding::Sender::target : Finding::Sender::initiator;
                finding.add_sign(
                    "the retransmitted data had arrived before, and were acknowledged a round trip later: "
                    "the first acknowledgement was lost");
            }
            finding.explanation =
                "Too many packets were lost at once for fast retransmit: the last ones of a burst, or their "
                "acknowledgements. TCP had to wait for its retransmission timer. Look for full queues of "
                "switch ports and failing links at these moments.";
            if (facts_.stands_still_at_end && timeouts.count == 1) {
                finding.explanation = fmt::format(
                    "Nothing that it sent was acknowledged from then on: the path to {}, the way back, or "
                    "that "
                    "host was gone. Look for a link or a host that went down at that moment.",
                    facts_.other_name());
            } else if (facts_.stands_still_at_end) {
                finding.explanation +=
                    " From the last of them on nothing was acknowledged any more: the path or the other host "
                    "may have been gone.";
            }
            if (count(LossKind::rto) > 0) {
                finding.add_sign(fmt::format("{} retransmitted after the timeout",
                                             counted(count(LossKind::rto), "segment")));
            } else if (some_lost) {
                finding.add_sign("what had been lost before it was retransmitted when it was over");
            }
        }
        doubt_if_much_is_missing(finding);
        list_.push_back(std::move(finding));
    }

    // The target works on while a timer runs.
    void delayed_nothing(Finding& finding) const {
        if (!facts_.delayed_no_command) return;
        finding.severity = Severity::information;
        finding.cost_ns = 0;
        finding.add_sign("commands that were outstanding meanwhile took no longer than others of their kind");
    }

    // The capture has the acknowledgement that the sender did not get.
    void lost_acknowledgements() {
        const Spells& silences = facts_.repeats_after_ack;
        // Where its timer is told of already, so is what it did.
        if (silences.count == 0 || facts_.timeouts.count > 0) return;
        const bool serious = silences.longest.length_ns() >= long_silence_ns;
        Finding finding = begin(Kind::retransmission_timeout, serious ? Severity::problem : Severity::notice,
                                silences.total_ns);
        place_at(finding, silences.longest);
        delayed_nothing(finding);
        // They are the other side's.
        finding.sender = facts_.is_initiator ? Finding::Sender::target : Finding::Sender::initiator;
        finding.title = fmt::format(
            "Acknowledgements to {} were lost or delayed: it waited {} for its retransmission timeout (RTO)",
            facts_.name(), human_duration(silences.longest.length_ns()));
        finding.explanation = fmt::format(
            "{} retransmitted data that had arrived, and sent no new data meanwhile. None of its data was "
            "lost: look at the path from {}, for full queues and bad links.",
            facts_.name(), facts_.other_name());
        finding.add_sign(
            fmt::format("packet {} retransmits data that an earlier packet of the capture acknowledges",
                        silences.longest.packet));
        finding.add_sign(fmt::format("a command was outstanding, and its sender was silent for {} before",
                                     human_duration(silences.longest.length_ns())));
        doubt_if_much_is_missing(finding);
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
        // A tail loss probe is sent on suspicion: one that nothing of the receiver confirms shows no loss.
        const bool repaired_something =
            in_state_ns(CaState::recovery) + in_state_ns(CaState::loss) + in_state_ns(CaState::cwr) > 0;
        if (repaired == count(LossKind::tlp) && facts_.has_windows && !repaired_something) return;
        const bool costs_much = facts_.limited_share(SendLimit::recovery) >= noticeable_share;
        if (repaired < least_burst && (!costs_much || facts_.timeouts.count > 0)) return;
        // Where so many others had arrived, packets overtook each other, and not each of those is told of.
        const uint64_t needless = count(LossKind::spurious);
        const bool in_doubt = 2 * needless >= repaired;
        // Where they are the few among those that had arrived, what recovery took was not theirs.
        constexpr uint64_t few_among = 4;
        if (in_doubt && (!costs_much || (needless >= few_among * repaired && is_reordered()))) return;
        const bool serious = facts_.limited_share(SendLimit::recovery) >= noticeable_share ||
                             (rate >= serious_loss_rate && repaired >= least_losses &&
                              facts_.limited_share(SendLimit::recovery) >= small_share);
        Finding finding = begin(Kind::lost_segments, serious ? Severity::problem : Severity::notice, cost_ns);
        // Among the copies of a mirror port, some that the path itself had duplicated are taken for retransmissions.
        constexpr uint64_t few = 100;
        if (count(LossKind::duplicate) / few > repaired || facts_.is_mirrored()) {
            finding.severity = Severity::notice;
            finding.confidence = Finding::Confidence::possible;
        }
        // Before a timer expired nothing came that told of them: their acknowledgements may have been lost in their place.
        const bool by_timer = captured_at_sender() && count(LossKind::rto) + count(LossKind::tlp) == repaired;
        const bool in_part = lacks_much();
        const bool maybe_late = !by_timer && !in_part && may_have_been_late();
        if (by_timer || maybe_late || in_part) finding.confidence = Finding::Confidence::possible;
        if (maybe_late || in_part) finding.severity = Severity::notice;
        finding.title = fmt::format("{} of {}{} lost on the path{}", counted(repaired, "segment"),
                                    facts_.name(), by_timer ? ", or what acknowledged them," : "",
                                    in_part      ? ", or late: much of what it sent is not in the capture"
                                    : maybe_late ? ", or late"
                                                 : "");
        if (rate > 0 && !in_part) finding.title += fmt::format(" ({})", fine_percent(rate));
        if (!in_part && facts_.limited_share(SendLimit::recovery) >= small_share) {
            finding.title +=
                fmt::format("; loss recovery took {} {}", share(SendLimit::recovery), of_its_time());
        }
        finding.add_sign(captured_at_sender()
                             ? fmt::format("{} passed the capture twice: lost after it, on the way to {}{}",
                                           counted(repaired, "segment"), facts_.other_name(),
                                           by_timer     ? ", or arrived, and the acknowledgement was lost"
                                           : maybe_late ? ", or late"
                                                        : "")
                             : fmt::format("{} arrived late and filled gaps at the receiver",
                                           counted(repaired, "segment")));
        if (in_part) {
            finding.add_sign(missing_sign());
        } else if (facts_.summary->in_state_ns(CaState::recovery) +
                       facts_.summary->in_state_ns(CaState::loss) >
                   0) {
            finding.add_sign(fmt::format(
                "its TCP was in state Recovery or Loss for {}, as duplicate ACKs, SACK or a timeout show",
                human_duration(facts_.summary->in_state_ns(CaState::recovery) +
                               facts_.summary->in_state_ns(CaState::loss))));
        }
        if (maybe_late) {
            const uint64_t answers = facts_.summary->unasked_acks();
            finding.add_sign(
                answers > 0
                    ? fmt::format("{} answered {} as it does what it has already, without D-SACK",
                                  facts_.other_name(), counted(answers, "segment"))
                    : fmt::format("duplicate ACKs reported {} that late segments filled; without SACK "
                                  "nothing tells these from losses",
                                  counted(facts_.summary->path_reordered(), "gap")));
        }
        if (in_part) {
            finding.explanation =
                "Much of what it sent is missing from the capture: how many were lost, whether what was sent "
                "again had been lost, and how long recovery took is not known. ";
        } else {
            finding.explanation = fmt::format(
                "{}; each time later data had to wait at the receiver for at least {}, and the congestion "
                "window was reduced. ",
                how_repaired(), round_trip());
        }
        if (maybe_late) {
            finding.explanation +=
                "Packets that overtake each other by more than a round trip look the same: see whether link "
                "aggregation or multipath balances by packet, and capture at the receiver too. ";
        }
        if (facts_.burst_losses >= least_burst) {
            const int64_t length_ns = facts_.burst.length_ns();
            finding.explanation +=
                fmt::format("The worst burst: {} {}. ", human_count(facts_.burst_losses),
                            length_ns == 0 ? "at once" : "in " + human_duration(length_ns));
        }
        const bool overflow = facts_.has_bottleneck();
        if (overflow) {
            finding.add_sign(
                fmt::format("the path was full: {}, with a round-trip time of {} under load and {} without",
                            human_rate(facts_.queued_rate()), human_duration(facts_.queued_srtt_ns),
                            human_duration(facts_.rtt_min_ns())));
            finding.explanation += fmt::format(
                "A queue before a bottleneck of {} overflowed: it takes larger buffers at that port, fewer "
                "senders at once, or a faster link.",
                human_rate(facts_.queued_rate()));
        } else {
            finding.explanation += fmt::format(
                "Look at the drop and error counters of the ports on the way to {}{}, for full queues and "
                "bad "
                "links.",
                facts_.other_name(), by_timer ? " and back" : "");
        }
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
            {LossKind::fast_retransmit, "by fast retransmit"},
            {LossKind::rto, "after a timeout"},
            {LossKind::tlp, "by tail loss probe"},
        };
        const bool one = facts_.repaired() == 1;
        // What was lost again, or with nothing behind it, shows at the sender alone.
        const std::string all = one ? "It" : captured_at_sender() ? "All" : "All that show";
        std::string text;
        for (const auto& [kind, words] : ways) {
            if (count(kind) == 0) continue;
            const std::string number = count(kind) == facts_.repaired() ? all : human_count(count(kind));
            text += fmt::format("{}{} {}", text.empty() ? number : ", " + number,
                                !text.empty()      ? ""
                                : count(kind) == 1 ? " was recovered"
                                                   : " were recovered",
                                words);
        }
        return text;
    }

    void needless() {
        const uint64_t needless = count(LossKind::spurious);
        // Those of timeouts are told as a stall of the path, those of packets that overtook each other with these.
        const bool told = (facts_.timeouts.count > 0 && count(LossKind::rto) == 0) || is_reordered();
        // A tail loss probe that was not needed costs nothing, and a busy host makes some.
        const double segments = static_cast<double>(facts_.bytes()) / facts_.mss();
        if (needless < least_losses || static_cast<double>(needless) < serious_loss_rate * segments || told)
            return;
        // That it took its window back for it does.
        const int64_t reduced_ns =
            in_state_ns(CaState::cwr) + in_state_ns(CaState::recovery) + in_state_ns(CaState::loss);
        if (facts_.has_windows && share_of(reduced_ns, facts_.judged_ns()) < small_share) return;
        Finding finding = begin(Kind::needless_retransmission, Severity::notice, 0);
        if (is_doubled()) finding.confidence = Finding::Confidence::possible;
        finding.packet = facts_.first_loss[static_cast<size_t>(LossKind::spurious)];
        finding.add_sign(
            fmt::format("{} show that {} had arrived before", what_shows_it(), counted(needless, "segment")));
        finding.title = fmt::format("{} retransmitted {} that had arrived (spurious retransmission)",
                                    facts_.name(), counted(needless, "segment"));
        finding.explanation =
            "Packets overtook each other on the path, or were delayed longer than before, and TCP took them "
            "for lost; or their acknowledgements were lost. Look for link aggregation or multipath that "
            "balances by packet, sudden delays, and losses on the way back.";
        list_.push_back(std::move(finding));
    }

    // Or nobody knows.
    bool may_lack_sack() const {
        const SynOptionsRow& out = facts_.connection->out.syn;
        const SynOptionsRow& in = facts_.connection->in.syn;
        return !out.known || !in.known || !out.sack_permitted || !in.sack_permitted;
    }

    // Of what it sent again, the sender's capture does not tell whether the first copy came as well, only later: where the receiver
    // does not say so in D-SACKs, duplicate ACKs do, though not for which.
    bool may_have_been_late() const {
        constexpr uint64_t part = 4;
        constexpr uint64_t least = 3;
        const uint64_t late =
            facts_.summary->unasked_acks() + (may_lack_sack() ? facts_.summary->path_reordered() : 0);
        return captured_at_sender() && late >= least && late * part >= facts_.repaired();
    }

    // Of a connection whose SYNs were not captured nobody knows what it has.
    std::string_view what_shows_it() const {
        const SynOptionsRow& out = facts_.connection->out.syn;
        const SynOptionsRow& in = facts_.connection->in.syn;
        const bool known = out.known && in.known;
        const bool timestamps = !known || (out.timestamps && in.timestamps);
        const bool sack = !known || (out.sack_permitted && in.sack_permitted);
        if (timestamps && sack) return "TCP timestamps, D-SACK or earlier acknowledgements";
        if (timestamps) return "TCP timestamps or earlier acknowledgements";
        return sack ? "D-SACK or earlier acknowledgements" : "Earlier acknowledgements";
    }

    // At the sender what came late shows in the receiver's word alone: holes that nothing it sent again had filled. Where
    // something was, a hole may have been a loss.
    uint64_t holes_that_filled() const {
        return captured_at_sender() && facts_.repaired() * 2 < facts_.holes_that_filled
                   ? facts_.holes_that_filled
                   : 0;
    }

    // Segments; those of which the receiver told are the path's for sure.
    uint64_t came_late() const {
        return std::max(
            {count(LossKind::out_of_order), holes_that_filled(), facts_.summary->path_reordered()});
    }

    bool is_reordered() const {
        // One in a thousand no sender minds.
        constexpr double least_rate = 1e-3;
        const double least =
            std::max(least_rate * static_cast<double>(facts_.bytes()) / facts_.mss(), double{least_losses});
        if (static_cast<double>(facts_.summary->path_reordered()) >= least) return true;
        const uint64_t late = std::max(count(LossKind::out_of_order), holes_that_filled());
        if (static_cast<double>(late) < least) return false;
        // What the receiver had no holes for came to the capture in another order than to it.
        constexpr uint64_t most_in_one_hole = 8;
        return !facts_.has_windows || most_in_one_hole * facts_.disorders >= late;
    }

    void reordering() {
        if (!is_reordered()) return;
        Finding finding =
            begin(Kind::reordering, Severity::notice, facts_.summary->in_state_ns(CaState::disorder));
        // What filled the gaps may be among it.
        if (lacks_much() || is_doubled()) finding.confidence = Finding::Confidence::possible;
        finding.packet = facts_.first_loss[static_cast<size_t>(LossKind::out_of_order)];
        const uint64_t late = came_late();
        const bool by_word = count(LossKind::out_of_order) < late;
        finding.title = fmt::format("{} of {} arrived out of order", counted(late, "segment"), facts_.name());
        const uint64_t needless = count(LossKind::spurious);
        finding.add_sign(
            by_word ? fmt::format("SACK or duplicate ACKs reported {} that late segments filled, without a "
                                  "retransmission",
                                  counted(late, "gap"))
                    : fmt::format("{} passed the capture after later ones", counted(late, "segment")));
        if (facts_.summary->in_state_ns(CaState::disorder) > 0) {
            finding.add_sign(
                fmt::format("its TCP was in state Disorder for {}, as SACK or duplicate ACKs show",
                            human_duration(facts_.summary->in_state_ns(CaState::disorder))));
        }
        finding.explanation = fmt::format(
            "Packets overtake each other on the path, and the receiver must hold later ones back{}. Look for "
            "link aggregation or multipath that balances by packet rather than by connection.",
            needless == 0
                ? ""
                : fmt::format(", and TCP retransmitted {} that had arrived", counted(needless, "segment")));
        list_.push_back(std::move(finding));
    }

    void stalls() {
        const Spells& stalls = facts_.stalls;
        const double share = share_of(stalls.total_ns, facts_.judged_ns());
        const bool worth_it = share >= small_share || stalls.longest.length_ns() >= long_silence_ns / 10;
        constexpr int64_t nobody_waits_for_ns = 100'000;
        if (stalls.total_ns < nobody_waits_for_ns || !worth_it) return;
        const bool serious = share >= noticeable_share || stalls.longest.length_ns() >= long_silence_ns;
        Finding finding =
            begin(Kind::zero_window_stall, serious ? Severity::problem : Severity::notice, stalls.total_ns);
        place_at(finding, stalls.longest);
        finding.side = facts_.is_initiator ? Finding::Side::target : Finding::Side::initiator;
        finding.add_sign(fmt::format("its acknowledgements advertised less than a segment {}",
                                     counted(stalls.count, "time")));
        finding.add_sign(fmt::format("{} had filled the window, and could not send for {} in all",
                                     facts_.name(), human_duration(stalls.total_ns)));
        finding.title = fmt::format(
            "The receive window of {} was closed {}: {} in all, {} at the longest", facts_.other_name(),
            stalls.count == 1 ? "once" : human_count(stalls.count) + " times",
            human_duration(stalls.total_ns), human_duration(stalls.longest.length_ns()));
        finding.explanation = fmt::format(
            "Its program did not read as fast as {} sent. Look at the receiving host: processor, memory, "
            "size of its socket buffer.",
            facts_.name());
        list_.push_back(std::move(finding));
    }

    void receiver_window() {
        // A window that grows as it is used, as those of most hosts do, is full now and then on its way: only what it does
        // not grow beyond, round trip after round trip, or shrinks to, is too small.
        const int64_t cost_ns =
            facts_.limited_ns(SendLimit::receiver) - facts_.stalls.total_ns - facts_.receiver_growing_ns;
        if (!facts_.is_bulk() || share_of(cost_ns, facts_.judged_ns()) < noticeable_share) return;
        constexpr uint32_t least_rounds = 8;
        const bool is_shrunk = share_of(facts_.receiver_shrunk_ns, facts_.judged_ns()) >= noticeable_share;
        if (facts_.receiver_rounds < least_rounds && !is_shrunk) return;
        // What moves as fast as a link of 1 Gbit/s is not in want of a window.
        if (facts_.rate() >= plenty || facts_.widest_window == 0) return;
        const bool serious = share_of(cost_ns, facts_.judged_ns()) >= serious_share;
        Finding finding =
            begin(Kind::receiver_window, serious ? Severity::problem : Severity::notice, cost_ns);
        finding.side = facts_.is_initiator ? Finding::Side::target : Finding::Side::initiator;
        finding.add_sign(fmt::format("up to {} were in flight of {} advertised",
                                     human_binary_bytes(facts_.outstanding_at_limit),
                                     human_binary_bytes(facts_.widest_window)));
        if (facts_.cwnd_was_wider) {
            finding.add_sign(fmt::format("its congestion window, up to {}, allowed more",
                                         human_binary_bytes(facts_.summary->cwnd_max())));
        }
        place_at(finding, facts_.limited[static_cast<size_t>(SendLimit::receiver)]);
        finding.title = fmt::format("{} was limited by the receive window of {} for {} {}", facts_.name(),
                                    facts_.other_name(), share(SendLimit::receiver), of_its_time());
        const int64_t rtt_ns = facts_.summary->srtt_mean_ns();
        if (facts_.widest_window > 0 && rtt_ns > 0) {
            const double rate = static_cast<double>(facts_.widest_window) * 1e9 / static_cast<double>(rtt_ns);
            finding.explanation =
                fmt::format("At most {} were advertised; with {} that allows {} at the most. ",
                            human_binary_bytes(facts_.widest_window), round_trip(), human_rate(rate));
        }
        finding.explanation +=
            "Let the receiving host take larger socket buffers (tcp_rmem on Linux), and see whether it reads "
            "fast enough.";
        list_.push_back(std::move(finding));
    }

    void congestion() {
        if (!facts_.is_bulk()) return;
        if (facts_.has_bottleneck()) return path_queue();
        const double held_share = facts_.limited_share(SendLimit::congestion);
        // A window that is full now and then is a window at work.
        constexpr double least_share = 0.2;
        if (held_share < least_share || facts_.rate() >= plenty) return;
        // The window that it was held back by is one that it did not have.
        if (facts_.idle_restarts_disproved > 0 && facts_.repaired() == 0 && facts_.ecn_reductions == 0)
            return;
        const int64_t rtt_ns = facts_.rtt_min_ns();
        static_assert(no_time < least_long_path_ns);  // a round trip that is not known is none
        // A window that marks keep at a few segments is too small for any path.
        const bool kept_small_by_marks = facts_.ecn_reductions >= least_restarts && rtt_ns > 0;
        if (rtt_ns < least_long_path_ns && !kept_small_by_marks) return;
        const bool losses_told = std::ranges::any_of(
            list_, [](const Finding& finding) { return finding.kind == Kind::lost_segments; });
        if (facts_.ecn_reductions == 0 && facts_.repaired() > 0 && !losses_told)
            return kept_small_by_losses(held_share);
        Finding finding =
            begin(Kind::congestion_window, Severity::notice, facts_.limited_ns(SendLimit::congestion));
        finding.add_sign(
            fmt::format("the congestion window was full {} {}; the minimum round-trip time is {}",
                        human_percent(held_share), of_its_time(), human_duration(rtt_ns)));
        place_at(finding, facts_.limited[static_cast<size_t>(SendLimit::congestion)]);
        finding.title = fmt::format("{} was limited by its congestion window {} {}", facts_.name(),
                                    human_percent(held_share), of_its_time());
        const std::string cwnd_min = human_bytes(facts_.summary->cwnd_min());
        const std::string cwnd_max = human_bytes(facts_.summary->cwnd_max());
        if (facts_.ecn_reductions > 0) {
            finding.explanation = fmt::format(
                "The path marked packets (ECN), and the congestion window was reduced {} for it: its "
                "bandwidth is used up, or its marking threshold is low.",
                facts_.ecn_reductions == 1 ? "once" : human_count(facts_.ecn_reductions) + " times");
            finding.add_sign(fmt::format("{} echoed marks (ECE), and the window was {} to {}",
                                         facts_.other_name(), cwnd_min, cwnd_max));
        } else if (facts_.repaired() > 0 || facts_.timeouts.count > 0) {
            std::string what;
            if (facts_.repaired() > 0)
                what = facts_.repaired() == 1 ? "1 loss" : human_count(facts_.repaired()) + " losses";
            if (facts_.timeouts.count > 0)
                what += (what.empty() ? "" : " and ") + counted(facts_.timeouts.count, "timeout");
            finding.explanation = fmt::format("{} made the congestion window smaller: {} to {}, with {}.",
                                              what, cwnd_min, cwnd_max, round_trip());
        } else if (facts_.idle_restarts >= least_restarts) {
            finding.side = facts_.is_initiator ? Finding::Side::initiator : Finding::Side::target;
            finding.title =
                fmt::format("{} restarted with a small congestion window after each idle period: {} {}",
                            facts_.name(), human_percent(held_share), of_its_time());
            finding.explanation = fmt::format(
                "Slow start after idle (RFC 5681 §4.1): each burst opens the window anew, in round trips of "
                "{}. Set net.ipv4.tcp_slow_start_after_idle=0 at {}, or keep the connection busy.",
                human_duration(rtt_ns), facts_.name());
            finding.add_sign(
                fmt::format("{} the congestion window fell from up to {} to {} while nothing was sent, "
                            "without a loss",
                            counted(facts_.idle_restarts, "time"), human_bytes(facts_.cwnd_before_idle),
                            human_bytes(facts_.cwnd_after_idle)));
        } else if (facts_.summary->transitions() > 0 && count(LossKind::spurious) > 0) {
            finding.explanation = fmt::format(
                "Nothing was lost, but packets out of order or late made TCP reduce its congestion window "
                "now and then: {} to {}.",
                cwnd_min, cwnd_max);
        } else if (rtt_grew()) {
            finding.severity =
                Severity::information;  // what a sender that has enough to send always comes to
            finding.explanation = fmt::format(
                "The congestion window, {} at the most, is about what the path holds: the round-trip time "
                "grows with it, to {} on average (SRTT) from {} at least. The path does not carry more.",
                cwnd_max, human_duration(facts_.summary->srtt_mean_ns()),
                human_duration(facts_.rtt_min_ns()));
        } else if (facts_.limited_ns(SendLimit::congestion) / many_round_trips > rtt_ns) {
            // Slow start would have opened it a thousandfold by then.
            finding.severity = Severity::information;
            finding.confidence = Finding::Confidence::possible;
            finding.explanation = fmt::format(
                "Nothing was lost, and over many round trips the congestion window, {} to {}, did not open "
                "further. The capture does not show what keeps it there: a congestion control that goes by "
                "delay or shares one window among connections, a limit set for the route, or many short "
                "bursts with slow start in each.",
                cwnd_min, cwnd_max);
        } else {
            finding.severity = Severity::information;  // slow start, as on every new connection
            finding.explanation = fmt::format(
                "There was no loss: the congestion window, {} to {}, was still growing (slow start), as on "
                "every connection that is new or was idle. Keep connections busy, and see "
                "tcp_slow_start_after_idle on Linux.",
                cwnd_min, cwnd_max);
        }
        list_.push_back(std::move(finding));
    }

    // A few losses that cost no time by themselves, and a window that is small for long behind them.
    void kept_small_by_losses(double held_share) {
        const int64_t held_ns = facts_.limited_ns(SendLimit::congestion);
        Finding finding = begin(Kind::lost_segments, Severity::notice, held_ns);
        place_at(finding, facts_.limited[static_cast<size_t>(SendLimit::congestion)]);
        finding.title = fmt::format("{} of {} lost on the path kept its congestion window small: full {} {}",
                                    counted(facts_.repaired(), "segment"), facts_.name(),
                                    human_percent(held_share), of_its_time());
        finding.add_sign(fmt::format("{} retransmitted", counted(facts_.repaired(), "segment")));
        finding.add_sign(
            fmt::format("the congestion window, {} to {}, was full {} {}; the minimum round-trip time is {}",
                        human_bytes(facts_.summary->cwnd_min()), human_bytes(facts_.summary->cwnd_max()),
                        human_percent(held_share), of_its_time(), human_duration(facts_.rtt_min_ns())));
        finding.explanation =
            rtt_grew() ? "Each loss reduces the congestion window, Reno's by half and CUBIC's by 30 %, and "
                         "it takes long to grow "
                         "again. Without losses it would be larger, but the path has little more to give: "
                         "the round-trip time grows with it."
                       : "Each loss reduces the congestion window, Reno's by half and CUBIC's by 30 %, and "
                         "it takes long to grow "
                         "again. Look at the drop and error counters of the ports on the way.";
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
        if (lacks_much()) finding.confidence = Finding::Confidence::possible;
        place_at(finding, facts_.queued);
        finding.title = facts_.queue_title(facts_.queued_rate());
        finding.add_sign(facts_.queue_sign());
        finding.add_sign(fmt::format("the throughput was {}, within 25 %, in {} of {} intervals",
                                     human_rate(facts_.queued_rate()), facts_.queued_stretches_alike,
                                     facts_.queued_stretches));
        finding.explanation = fmt::format(
            "For {} of its time more was in flight than the path holds, and the rest waited in a queue. "
            "Either that rate is what this path has (link speed, shaping, other traffic), or a port on it is "
            "slower than it should be.",
            human_percent(facts_.queued_share()));
        list_.push_back(std::move(finding));
    }

    void ack_waits() {
        const Spells& waits = facts_.ack_waits;
        // While the rest of a request waits, no command counts as under way.
        const int64_t judged_ns = facts_.judged_ns() + facts_.ack_waits_idle_ns;
        if (waits.count < least_ack_waits || share_of(waits.total_ns, judged_ns) < noticeable_share) return;
        // What is no timer's is somebody else's doing.
        if (2 * facts_.ack_waits_alike < waits.count) return;
        const bool by_cwnd = 2 * facts_.ack_waits_for_cwnd > waits.count;
        // Nagle's algorithm would have held back each: where most pauses end ahead of the acknowledgement or well behind it, the
        // program itself pauses, and now and then an acknowledgement happens to come before it goes on.
        if (!by_cwnd && 4 * waits.count < 3 * facts_.pdu_pauses) return;
        const bool serious = share_of(waits.total_ns, judged_ns) >= serious_share;
        Finding finding =
            begin(Kind::delayed_ack, serious ? Severity::problem : Severity::notice, waits.total_ns);
        finding.side = Finding::Side::both;
        place_at(finding, waits.longest);
        finding.title =
            fmt::format("{} waited {} for a delayed acknowledgement before it sent the rest: {} each",
                        facts_.name(), counted(waits.count, "time"), human_duration(facts_.ack_wait_p50_ns));
        finding.explanation =
            by_cwnd ? fmt::format(
                          "Its congestion window had no room for another segment, and {} delays just the "
                          "acknowledgement that "
                          "would make room. Look at what keeps the window so small: losses, or restarts "
                          "after idle periods; "
                          "or let the other side acknowledge at once (TCP_QUICKACK, TcpAckFrequency=1).",
                          facts_.other_name())
                    : fmt::format(
                          "Nagle's algorithm holds a small segment back until all before it is acknowledged, "
                          "and {} delays "
                          "just that acknowledgement. Let {} set TCP_NODELAY, or write a PDU at once; or let "
                          "the other "
                          "side acknowledge at once (TCP_QUICKACK, TcpAckFrequency=1).",
                          facts_.other_name(), facts_.name());
        finding.add_sign(fmt::format(
            "{} pauses within PDUs, {} of them {} long within 25 %, as a delayed-ACK timer makes them",
            human_count(waits.count), human_count(facts_.ack_waits_alike),
            human_duration(facts_.ack_wait_p50_ns)));
        finding.add_sign(
            "each ended with an acknowledgement without data, and the rest of a PDU that had begun followed "
            "at once");
        if (by_cwnd) finding.add_sign("the congestion window had no room for another segment");
        list_.push_back(std::move(finding));
    }

    void pacing() {
        const double held_share = facts_.limited_share(SendLimit::pacing);
        if (!facts_.is_bulk() || facts_.queues_on_path() || held_share < noticeable_share) return;
        Finding finding = begin(Kind::pacing, Severity::information, facts_.limited_ns(SendLimit::pacing));
        place_at(finding, facts_.limited[static_cast<size_t>(SendLimit::pacing)]);
        finding.title =
            fmt::format("{} paced itself for {} of its time", facts_.name(), human_percent(held_share));
        const std::string& reported =
            facts_.connection->kernel_congestion_control[index_of(facts_.summary->side())];
        const std::string_view name =
            reported.empty() ? facts_.summary->congestion_control() : std::string_view(reported);
        if (name.starts_with("bbr")) {
            finding.explanation =
                "Its congestion control, BBR, sends at a rate that it measured rather than as "
                "acknowledgements "
                "arrive. That is no trouble unless the rate is below what the path should carry.";
        } else {
            finding.confidence = Finding::Confidence::possible;
            finding.explanation =
                "It sends in even pauses rather than as acknowledgements arrive: its congestion control does "
                "so, as BBR does, or a pacing queue (fq on Linux), or its application writes so. That is no "
                "trouble unless the rate is below what the path should carry.";
        }
        list_.push_back(std::move(finding));
    }

    FindingList& list_;
    const SenderFacts& facts_;
    bool acks_do_not_arrive_;
};

// The other side sends the same again and again since nothing of this sender's was acknowledged any more: its small packets, the
// acknowledgements, are lost as well.
bool acks_do_not_arrive(const SenderFacts& facts, std::span<const SenderFacts> senders) {
    const SentDataRow& data = facts.is_initiator ? facts.connection->out : facts.connection->in;
    if (data.acknowledged_ns == no_time) return false;
    constexpr int64_t least_repeats = 2;
    return std::ranges::any_of(senders, [&](const SenderFacts& other) {
        if (other.number != facts.number || &other == &facts) return false;
        const auto again = std::ranges::count_if(other.repeats, [&](const NeedlessRepeat& repeat) {
            return repeat.time_ns != no_time && repeat.time_ns > data.acknowledged_ns;
        });
        const bool stood_still =
            other.timeouts.spans.overlap_ns(data.acknowledged_ns, facts.connection->end_ns) > 0;
        return again >= least_repeats ||
               (stood_still && other.losses[static_cast<size_t>(LossKind::rto)] >= least_repeats);
    });
}

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

// Which way the path stood still is told by what was sent twice meanwhile by the side that is far from the capture.
void add_direction(Finding& finding, const SenderFacts& facts, std::span<const SenderFacts> senders) {
    for (const SenderFacts& far : senders) {
        if (far.number != facts.number || far.repeats_came == RepeatsCame::unknown) continue;
        const bool held = far.repeats_came == RepeatsCame::held;
        finding.sender = far.is_initiator == held ? Finding::Sender::initiator : Finding::Sender::target;
        finding.add_sign(
            held ? fmt::format(
                       "segments that {} retransmitted had not reached the capture until the stall was over",
                       far.name())
                 : fmt::format("segments that {} retransmitted had reached the capture before: the "
                               "acknowledgements to it were held",
                               far.name()));
    }
}

// A path that loses segments loses acknowledgements, too, and of the last ones nothing else shows. One sender alone that stands
// still tells no more than that.
bool acks_may_have_been_lost(const Finding& stall, const SenderFacts& facts) {
    constexpr uint64_t loses_some = 3;
    return facts.repaired() >= loses_some && !facts.others_stood_still &&
           stall.sender == Finding::Sender::unknown;
}

bool both_sides_stood_still(const SenderFacts& facts, std::span<const SenderFacts> senders) {
    return std::ranges::any_of(senders, [&](const SenderFacts& other) {
        return other.number == facts.number && &other != &facts && other.timeouts.count > 0;
    });
}

}  // namespace

void add_sender_findings(FindingList& list, std::span<const SenderFacts> senders) {
    for (const SenderFacts& facts : senders) {
        FindingList own;
        OfSender(own, facts, acks_do_not_arrive(facts, senders)).add();
        const bool told_by_other = other_side_tells_timeouts(facts, senders);
        for (Finding& finding : own) {
            const bool of_timeout =
                finding.kind == Kind::retransmission_timeout || finding.kind == Kind::path_stall;
            const bool of_queue = finding.kind == Kind::path_queue;
            if (finding.kind == Kind::path_stall) {
                add_direction(finding, facts, senders);
                if (both_sides_stood_still(facts, senders)) {
                    finding.add_sign("data of both sides stood still at once");
                } else if (acks_may_have_been_lost(finding, facts)) {
                    finding.severity = std::max(finding.severity, Finding::Severity::notice);
                    finding.confidence = Finding::Confidence::possible;
                    finding.explanation +=
                        " Or only acknowledgements were lost: this path loses segments as well.";
                }
            }
            if (of_queue && other_side_queues_more(facts, senders)) continue;
            if (!of_timeout || !told_by_other) list.push_back(std::move(finding));
        }
    }
}

}  // namespace sanscope
