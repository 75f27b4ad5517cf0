// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/senders/reordering_findings.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace sanscope {
namespace {

using Kind = Finding::Kind;

// Of a connection whose SYNs were not captured nobody knows what it has.
std::string_view what_shows_it(const OfSender& sender) {
    const SenderFacts& facts = sender.facts;
    const SynOptionsRow& out = facts.connection->out.syn;
    const SynOptionsRow& in = facts.connection->in.syn;
    const bool known = out.known && in.known;
    const bool timestamps = !known || (out.timestamps && in.timestamps);
    const bool sack = !known || (out.sack_permitted && in.sack_permitted);
    if (timestamps && sack) return "TCP timestamps, D-SACK or earlier acknowledgements";
    if (timestamps) return "TCP timestamps or earlier acknowledgements";
    return sack ? "D-SACK or earlier acknowledgements" : "Earlier acknowledgements";
}

// At the sender what came late shows in the receiver's word alone: holes that nothing it sent again had filled. Where
// something was, a hole may have been a loss.
uint64_t holes_that_filled(const OfSender& sender) {
    const SenderFacts& facts = sender.facts;
    return sender.captured_at_sender() && facts.repaired() * 2 < facts.holes_that_filled
               ? facts.holes_that_filled
               : 0;
}

// Segments; those of which the receiver told are the path's for sure.
uint64_t came_late(const OfSender& sender) {
    const SenderFacts& facts = sender.facts;
    return std::max(
        {sender.count(LossKind::out_of_order), holes_that_filled(sender), facts.summary->path_reordered()});
}

}  // namespace

bool is_reordered(const OfSender& sender) {
    const SenderFacts& facts = sender.facts;
    // One in a thousand no sender minds.
    constexpr double least_rate = 1e-3;
    const double least = std::max(least_rate * static_cast<double>(facts.bytes()) / facts.mss(),
                                  double{OfSender::least_losses});
    if (static_cast<double>(facts.summary->path_reordered()) >= least) return true;
    const uint64_t late = std::max(sender.count(LossKind::out_of_order), holes_that_filled(sender));
    if (static_cast<double>(late) < least) return false;
    // What the receiver had no holes for came to the capture in another order than to it.
    constexpr uint64_t most_in_one_hole = 8;
    return !facts.has_windows || most_in_one_hole * facts.disorders >= late;
}

void add_needless(const OfSender& sender) {
    const SenderFacts& facts = sender.facts;
    const uint64_t needless = sender.count(LossKind::spurious);
    // Those of timeouts are told as a stall of the path, those of packets that overtook each other with these.
    const bool told = (facts.timeouts.count > 0 && sender.count(LossKind::rto) == 0) || is_reordered(sender);
    // A tail loss probe that was not needed costs nothing, and a busy host makes some.
    const double segments = static_cast<double>(facts.bytes()) / facts.mss();
    if (needless < OfSender::least_losses ||
        static_cast<double>(needless) < OfSender::serious_loss_rate * segments || told)
        return;
    // That it took its window back for it does.
    const int64_t reduced_ns = sender.in_state_ns(CaState::cwr) + sender.in_state_ns(CaState::recovery) +
                               sender.in_state_ns(CaState::loss);
    if (facts.has_windows && share_of(reduced_ns, facts.judged_ns()) < OfSender::small_share) return;
    Finding finding = sender.begin(Kind::needless_retransmission, Finding::Severity::notice, 0);
    if (sender.is_doubled()) finding.confidence = Finding::Confidence::possible;
    finding.packet = facts.first_loss[static_cast<size_t>(LossKind::spurious)];
    finding.add_sign(fmt::format("{} show that {} had arrived before", what_shows_it(sender),
                                 counted(needless, "segment")));
    finding.title = fmt::format("{} retransmitted {} that had arrived (spurious retransmission)",
                                facts.name(), counted(needless, "segment"));
    finding.explanation =
        "Packets overtook each other on the path, or were delayed longer than before, and TCP took them "
        "for lost; or their acknowledgements were lost. Look for link aggregation or multipath that "
        "balances by packet, sudden delays, and losses on the way back.";
    sender.list.push_back(std::move(finding));
}

void add_reordering(const OfSender& sender) {
    const SenderFacts& facts = sender.facts;
    if (!is_reordered(sender)) return;
    Finding finding = sender.begin(Kind::reordering, Finding::Severity::notice,
                                   facts.summary->in_state_ns(CaState::disorder));
    // What filled the gaps may be among it.
    if (sender.lacks_much() || sender.is_doubled()) finding.confidence = Finding::Confidence::possible;
    finding.packet = facts.first_loss[static_cast<size_t>(LossKind::out_of_order)];
    const uint64_t late = came_late(sender);
    const bool by_word = sender.count(LossKind::out_of_order) < late;
    finding.title = fmt::format("{} of {} arrived out of order", counted(late, "segment"), facts.name());
    const uint64_t needless = sender.count(LossKind::spurious);
    finding.add_sign(
        by_word ? fmt::format("SACK or duplicate ACKs reported {} that late segments filled, without a "
                              "retransmission",
                              counted(late, "gap"))
                : fmt::format("{} passed the capture after later ones", counted(late, "segment")));
    if (facts.summary->in_state_ns(CaState::disorder) > 0) {
        finding.add_sign(fmt::format("its TCP was in state Disorder for {}, as SACK or duplicate ACKs show",
                                     human_duration(facts.summary->in_state_ns(CaState::disorder))));
    }
    finding.explanation = fmt::format(
        "Packets overtake each other on the path, and the receiver must hold later ones back{}. Look for "
        "link aggregation or multipath that balances by packet rather than by connection.",
        needless == 0
            ? ""
            : fmt::format(", and TCP retransmitted {} that had arrived", counted(needless, "segment")));
    sender.list.push_back(std::move(finding));
}

}  // namespace sanscope
