// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/senders/timeout_findings.h"

#include <cstdint>
#include <string>
#include <utility>

namespace sanscope {
namespace {

using Kind = Finding::Kind;

// The target works on while a timer runs.
void delayed_nothing(const OfSender& sender, Finding& finding) {
    const SenderFacts& facts = sender.facts;
    if (!facts.delayed_no_command) return;
    finding.severity = Finding::Severity::information;
    finding.cost_ns = 0;
    finding.add_sign("commands that were outstanding meanwhile took no longer than others of their kind");
}

}  // namespace

void add_timeouts(const OfSender& sender) {
    const SenderFacts& facts = sender.facts;
    const Spells& timeouts = facts.timeouts;
    if (timeouts.count == 0) return;
    // Where nothing that a timeout sent again had really been lost, the path only delayed it: unless it was what the
    // timer sent that brought the acknowledgement, and the one before was lost.
    const bool arrived = sender.count(LossKind::rto) == 0 && sender.count(LossKind::spurious) > 0;
    const bool answer_lost =
        arrived && facts.timeouts_answered >= timeouts.count && !facts.others_stood_still;
    // Or the timer repaired what had been lost all the while, along with what had not been.
    const Spell& longest = timeouts.longest;
    const bool some_lost = 2 * facts.lost.overlap_ns(longest.begin_ns, longest.end_ns) >= longest.length_ns();
    const bool only_late = arrived && !answer_lost && !some_lost;
    const bool serious = timeouts.longest.length_ns() >= OfSender::long_silence_ns ||
                         share_of(timeouts.total_ns, facts.observed_ns()) >= OfSender::noticeable_share;
    Finding finding =
        sender.begin(only_late ? Kind::path_stall : Kind::retransmission_timeout,
                     serious ? Finding::Severity::problem : Finding::Severity::notice, timeouts.total_ns);
    place_at(finding, timeouts.longest);
    // Nobody waits for the FIN of a connection that has done its work.
    const int64_t fin_ns = sender.sent().fin_ns;
    const bool while_closing =
        fin_ns != no_time && timeouts.count == 1 && fin_ns < timeouts.longest.end_ns &&
        (facts.busy == nullptr ||
         facts.busy->overlap_ns(timeouts.longest.begin_ns, timeouts.longest.end_ns) == 0);
    if (while_closing) finding.severity = Finding::Severity::information;
    delayed_nothing(sender, finding);
    finding.add_sign(fmt::format("none of its data was acknowledged for {}",
                                 human_duration(timeouts.longest.length_ns())));
    const std::string times = timeouts.count == 1 ? "once" : human_count(timeouts.count) + " times";
    const std::string how_long =
        timeouts.count == 1 ? human_duration(timeouts.total_ns)
                            : fmt::format("{} in all, {} at the longest", human_duration(timeouts.total_ns),
                                          human_duration(timeouts.longest.length_ns()));
    if (only_late) {
        finding.sender = Finding::Sender::unknown;
        finding.title = fmt::format("The path between {} and {} stood still {}: {}", facts.name(),
                                    facts.other_name(), times, how_long);
        finding.explanation =
            "Nothing got through until a retransmission timeout (RTO) had passed, and none of these data "
            "had been lost: something on the path held the packets, or dropped what came the other way. "
            "Look for pause frames, a path failover, a link that was down, or a virtual machine or "
            "device "
            "that stops for a moment.";
        finding.add_sign(
            fmt::format("{} retransmitted after the timeout had arrived before (TCP timestamps or D-SACK)",
                        counted(sender.count(LossKind::spurious), "segment")));
    } else {
        finding.title =
            fmt::format("{} waited for a retransmission timeout (RTO) {}: {}", facts.name(), times, how_long);
        if (answer_lost) {
            finding.sender = facts.is_initiator ? Finding::Sender::target : Finding::Sender::initiator;
            finding.add_sign(
                "the retransmitted data had arrived before, and were acknowledged a round trip later: "
                "the first acknowledgement was lost");
        }
        finding.explanation =
            "Too many packets were lost at once for fast retransmit: the last ones of a burst, or their "
            "acknowledgements. TCP had to wait for its retransmission timer. Look for full queues of "
            "switch ports and failing links at these moments.";
        if (facts.stands_still_at_end && timeouts.count == 1) {
            finding.explanation = fmt::format(
                "Nothing that it sent was acknowledged from then on: the path to {}, the way back, or "
                "that "
                "host was gone. Look for a link or a host that went down at that moment.",
                facts.other_name());
        } else if (facts.stands_still_at_end) {
            finding.explanation +=
                " From the last of them on nothing was acknowledged any more: the path or the other host "
                "may have been gone.";
        }
        if (sender.count(LossKind::rto) > 0) {
            finding.add_sign(fmt::format("{} retransmitted after the timeout",
                                         counted(sender.count(LossKind::rto), "segment")));
        } else if (some_lost) {
            finding.add_sign("what had been lost before it was retransmitted when it was over");
        }
    }
    sender.doubt_if_much_is_missing(finding);
    sender.list.push_back(std::move(finding));
}

// The capture has the acknowledgement that the sender did not get.
void add_lost_acknowledgements(const OfSender& sender) {
    const SenderFacts& facts = sender.facts;
    const Spells& silences = facts.repeats_after_ack;
    // Where its timer is told of already, so is what it did.
    if (silences.count == 0 || facts.timeouts.count > 0) return;
    const bool serious = silences.longest.length_ns() >= OfSender::long_silence_ns;
    Finding finding =
        sender.begin(Kind::retransmission_timeout,
                     serious ? Finding::Severity::problem : Finding::Severity::notice, silences.total_ns);
    place_at(finding, silences.longest);
    delayed_nothing(sender, finding);
    // They are the other side's.
    finding.sender = facts.is_initiator ? Finding::Sender::target : Finding::Sender::initiator;
    finding.title = fmt::format(
        "Acknowledgements to {} were lost or delayed: it waited {} for its retransmission timeout (RTO) or a "
        "tail loss probe",
        facts.name(), human_duration(silences.longest.length_ns()));
    finding.explanation = fmt::format(
        "{} retransmitted data that had arrived, and sent no new data meanwhile: after a timeout, or as a "
        "probe, for which one segment alone waits as long. None of its data was lost: look at the path "
        "from {}, for full queues and bad links.",
        facts.name(), facts.other_name());
    finding.add_sign(
        fmt::format("packet {} retransmits data that an earlier packet of the capture acknowledges",
                    silences.longest.packet));
    finding.add_sign(fmt::format("a command was outstanding, and its sender was silent for {} before",
                                 human_duration(silences.longest.length_ns())));
    sender.doubt_if_much_is_missing(finding);
    sender.list.push_back(std::move(finding));
}

}  // namespace sanscope
