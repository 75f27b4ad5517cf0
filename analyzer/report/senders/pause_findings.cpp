// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/senders/pause_findings.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace sanscope {
namespace {

using Kind = Finding::Kind;

constexpr uint64_t least_ack_waits = 5;

}  // namespace

void add_ack_waits(const OfSender& sender) {
    const SenderFacts& facts = sender.facts;
    const Spells& waits = facts.ack_waits;
    // While the rest of a request waits, no command counts as under way.
    const int64_t judged_ns = facts.judged_ns() + facts.ack_waits_idle_ns;
    if (waits.count < least_ack_waits || share_of(waits.total_ns, judged_ns) < OfSender::noticeable_share)
        return;
    // What is no timer's is somebody else's doing.
    if (2 * facts.ack_waits_alike < waits.count) return;
    const bool by_cwnd = 2 * facts.ack_waits_for_cwnd > waits.count;
    // Nagle's algorithm would have held back each: where most pauses end ahead of the acknowledgement or well behind it, the
    // program itself pauses, and now and then an acknowledgement happens to come before it goes on.
    if (!by_cwnd && 4 * waits.count < 3 * facts.pdu_pauses) return;
    const bool serious = share_of(waits.total_ns, judged_ns) >= OfSender::serious_share;
    Finding finding = sender.begin(
        Kind::delayed_ack, serious ? Finding::Severity::problem : Finding::Severity::notice, waits.total_ns);
    finding.side = Finding::Side::both;
    place_at(finding, waits.longest);
    finding.title =
        fmt::format("{} waited {} for a delayed acknowledgement before it sent the rest: {} each",
                    facts.name(), counted(waits.count, "time"), human_duration(facts.ack_wait_p50_ns));
    finding.explanation =
        by_cwnd ? fmt::format(
                      "Its congestion window had no room for another segment, and {} delays just the "
                      "acknowledgement that "
                      "would make room. Look at what keeps the window so small: losses, or restarts "
                      "after idle periods; "
                      "or let the other side acknowledge at once (TCP_QUICKACK, TcpAckFrequency=1).",
                      facts.other_name())
                : fmt::format(
                      "Nagle's algorithm holds a small segment back until all before it is acknowledged, "
                      "and {} delays "
                      "just that acknowledgement. Let {} set TCP_NODELAY, or write a PDU at once; or let "
                      "the other "
                      "side acknowledge at once (TCP_QUICKACK, TcpAckFrequency=1).",
                      facts.other_name(), facts.name());
    finding.add_sign(fmt::format(
        "{} pauses within PDUs, {} of them {} long within 25 %, as a delayed-ACK timer makes them",
        human_count(waits.count), human_count(facts.ack_waits_alike), human_duration(facts.ack_wait_p50_ns)));
    finding.add_sign(
        "each ended with an acknowledgement without data, and the rest of a PDU that had begun followed "
        "at once");
    if (by_cwnd) finding.add_sign("the congestion window had no room for another segment");
    sender.list.push_back(std::move(finding));
}

void add_pacing(const OfSender& sender) {
    const SenderFacts& facts = sender.facts;
    const double held_share = facts.limited_share(SendLimit::pacing);
    if (!facts.is_bulk() || facts.queues_on_path() || held_share < OfSender::noticeable_share) return;
    Finding finding =
        sender.begin(Kind::pacing, Finding::Severity::information, facts.limited_ns(SendLimit::pacing));
    place_at(finding, facts.limited[static_cast<size_t>(SendLimit::pacing)]);
    finding.title =
        fmt::format("{} paced itself for {} of its time", facts.name(), human_percent(held_share));
    const std::string& reported =
        facts.connection->kernel_congestion_control[index_of(facts.summary->side())];
    const std::string_view name =
        reported.empty() ? facts.summary->congestion_control() : std::string_view(reported);
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
    sender.list.push_back(std::move(finding));
}

}  // namespace sanscope
