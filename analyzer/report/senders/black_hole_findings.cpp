// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/senders/black_hole_findings.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace sanscope {
namespace {

using Kind = Finding::Kind;

// Without options: what the MSS leaves room for (RFC 6691).
uint32_t tcp_and_ip_headers(const OfSender& sender) {
    const SenderFacts& facts = sender.facts;
    constexpr uint32_t of_ipv4 = 40;
    constexpr uint32_t of_ipv6 = 60;
    return facts.connection->target.address.is_v4() ? of_ipv4 : of_ipv6;
}

}  // namespace

// What is large never arrives, what is small does: a hop with a smaller MTU that says nothing (RFC 2923 §2.1).
bool add_black_hole(const OfSender& sender, bool acks_do_not_arrive) {
    const SenderFacts& facts = sender.facts;
    const SentDataRow& data = sender.sent();
    constexpr int64_t least_silence_ns = 500'000'000;
    constexpr uint32_t least_large = 1000;  // bytes; any path carries that
    const int64_t silence_ns = elapsed_ns(data.acknowledged_ns, facts.connection->end_ns);
    if (data.unacknowledged == 0 || silence_ns < least_silence_ns || data.answers_since == 0) return false;
    if (acks_do_not_arrive) return false;
    const uint32_t mss = facts.mss();
    if (mss < least_large) return false;
    // A full segment once arrived: the path carries them.
    const uint32_t full = mss - std::min(mss, 60u);  // options take some of it
    if (data.largest_acknowledged >= full) return false;
    const bool sent_full = data.largest_payload >= full;
    // Captured behind the hop, nothing full is seen at all, and a hole as wide as one or more.
    // Without their SYNs nobody knows how large a full segment is: what passed may be all that was to be sent.
    const bool hole =
        !sent_full && !sender.captured_at_sender() && data.unacknowledged >= full && facts.mss_is_agreed();
    if (!sent_full && !hole) return false;
    const uint64_t again = sender.count(LossKind::rto) + sender.count(LossKind::fast_retransmit) +
                           sender.count(LossKind::tlp) + sender.count(LossKind::spurious);
    if (sent_full && again < 2) return false;
    Finding finding = sender.begin(Kind::mtu_black_hole, Finding::Severity::problem, silence_ns);
    finding.begin_ns = data.acknowledged_ns;
    finding.end_ns = facts.connection->end_ns;
    finding.packet = facts.first_loss[static_cast<size_t>(LossKind::rto)];
    const std::string small =
        data.largest_acknowledged == 0
            ? "smaller ones did"
            : fmt::format("segments of up to {} did", counted_exactly(data.largest_acknowledged, "byte"));
    finding.title = fmt::format("{} packets of {} never arrive, {}: the path's MTU is smaller",
                                facts.mss_is_agreed() ? "Full-size" : "Large", facts.name(), small);
    finding.explanation = fmt::format(
        "{}ome hop drops packets of that size. Set the MTU alike on both hosts and every switch port "
        "between them; jumbo frames are the usual cause.",
        facts.mss_is_agreed() ? fmt::format("The hosts agreed on segments of {} (an MTU of {}), and s",
                                            counted_exactly(mss, "byte"), mss + tcp_and_ip_headers(sender))
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
    finding.add_sign(fmt::format("for {} the other side went on sending, {}, and acknowledged nothing new",
                                 human_duration(silence_ns), counted(data.answers_since, "segment")));
    sender.list.push_back(std::move(finding));
    return true;
}

}  // namespace sanscope
