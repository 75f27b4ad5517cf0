// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/senders/of_sender.h"

#include <algorithm>

#include "analyzer/report/capture/missing_packets.h"

namespace sanscope {

const SentDataRow& OfSender::sent() const {
    return facts.is_initiator ? facts.connection->out : facts.connection->in;
}

bool OfSender::is_doubled() const {
    const uint64_t seen = facts.is_initiator ? facts.connection->packets_out : facts.connection->packets_in;
    return facts.is_mirrored() || 4 * count(LossKind::duplicate) >= seen;
}

bool OfSender::lacks_much() const {
    return much_is_missing(*facts.connection, facts.is_initiator ? Role::initiator : Role::target,
                           count(LossKind::not_captured));
}

Finding OfSender::begin(Finding::Kind kind, Finding::Severity severity, int64_t cost_ns) const {
    Finding finding = facts.finding(kind, severity);
    finding.side = Finding::Side::path;
    finding.cost_ns = cost_ns;
    return finding;
}

void OfSender::doubt_if_much_is_missing(Finding& finding) const {
    if (!lacks_much()) return;
    finding.severity = std::max(finding.severity, Finding::Severity::notice);
    finding.confidence = Finding::Confidence::possible;
    finding.add_sign(missing_sign());
    finding.explanation +=
        " Much of what it sent is missing from the capture: what it waited for, and for how long, is in "
        "doubt.";
}

std::string OfSender::missing_sign() const {
    const uint64_t missing = count(LossKind::not_captured);
    return fmt::format("{} acknowledged {} not in the capture",
                       counted(missing, "segment") + (missing == 1 ? " that was" : " that were"),
                       missing == 1 ? "is" : "are");
}

std::string_view OfSender::of_its_time() const {
    return facts.knows_busy() ? "of its busy time" : "of its time";
}

std::string OfSender::share(SendLimit limit) const {
    return human_percent(facts.limited_share(limit));
}

std::string OfSender::round_trip() const {
    const int64_t mean_ns = facts.summary->srtt_mean_ns();
    return mean_ns == no_time ? "a round trip"
                              : fmt::format("a round trip (SRTT {})", human_duration(mean_ns));
}

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

}  // namespace sanscope
