// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/senders/chosen_senders.h"

#include <algorithm>
#include <functional>

namespace sanscope {
namespace {

// Looked at more closely, by each of the reasons; more could not be told to anyone with ten minutes.
constexpr size_t most_by_reason = 32;
// As in the report (sender_report.cpp).
constexpr uint64_t least_bytes_without_iscsi = 100'000;

SenderFacts facts_of(const SenderSummary& summary, const ResultStore& store) {
    SenderFacts facts;
    facts.summary = &summary;
    facts.number = summary.connection();
    facts.connection = &store.connection(facts.number);
    facts.is_initiator = facts.connection->is_initiator(summary.side());
    for (size_t i = 0; i < loss_kinds; ++i) facts.losses[i] = summary.losses(static_cast<LossKind>(i));
    return facts;
}

// What the choice among senders rests on.
struct Candidate {
    const SenderSummary* summary;
    bool is_wanted;
    uint64_t bytes;
    uint64_t sent_again;
    int64_t held_back_ns;
};

std::vector<Candidate> candidates(const ResultStore& store, const std::vector<uint32_t>& wanted) {
    std::vector<Candidate> found;
    for (const SenderSummary& summary : store.senders()) {
        const SenderFacts facts = facts_of(summary, store);
        const bool is_wanted = std::ranges::binary_search(wanted, facts.number);
        const uint64_t bytes = facts.bytes();
        const uint64_t sent_again = facts.repaired() + facts.losses[static_cast<size_t>(LossKind::spurious)];
        const bool is_worth_showing =
            summary.windows() > 0 && (facts.connection->iscsi || bytes >= least_bytes_without_iscsi);
        if (!is_wanted && !is_worth_showing) continue;
        found.push_back({&summary, is_wanted, bytes, sent_again, facts.held_back_ns()});
    }
    return found;
}

}  // namespace

std::vector<SenderFacts> chosen_senders(const ResultStore& store, const std::vector<uint32_t>& wanted,
                                        SenderPlaces& places) {
    std::vector<Candidate> all = candidates(store, wanted);
    std::vector<const SenderSummary*> senders;
    for (const Candidate& candidate : all) {
        if (candidate.is_wanted) senders.push_back(candidate.summary);
    }
    const auto take_most = [&](auto figure) {
        const auto most = std::min(all.size(), most_by_reason);
        std::ranges::partial_sort(all, all.begin() + static_cast<ptrdiff_t>(most), std::greater(), figure);
        for (size_t i = 0; i < most; ++i) senders.push_back(all[i].summary);
    };
    take_most(&Candidate::held_back_ns);
    take_most(&Candidate::sent_again);
    take_most(&Candidate::bytes);
    std::ranges::sort(senders, {}, [](const SenderSummary* sender) {
        return std::pair(sender->connection(), sender->side() == Side::a);
    });
    std::vector<SenderFacts> result;
    for (const SenderSummary* sender : senders) {
        if (places.take(sender->connection(), sender->side(), result.size()))
            result.push_back(facts_of(*sender, store));
    }
    return result;
}

}  // namespace sanscope
