// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/senders/loss_rows.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "analyzer/vocabulary/issues.h"

namespace sanscope {
namespace {

// Of losses as they come: those that follow each other closely.
struct Burst {
    Spell spell;
    uint64_t losses = 0;
};

void on_loss(SenderFacts& facts, Burst& burst, const LossRow& row) {
    const auto kind = static_cast<size_t>(row.kind);
    if (facts.losses[kind]++ == 0) facts.first_loss[kind] = row.packet;
    constexpr size_t most_repeats = 256;
    if (row.kind == LossKind::spurious && facts.repeats.size() < most_repeats)
        facts.repeats.push_back({row.original_packet, row.packet, row.time_ns, row.delay_ns});
    if (row.kind == LossKind::duplicate) facts.copied_bytes += row.length;
    if (!is_repair(row.kind)) return;
    facts.lost_bytes += row.length;
    if (row.delay_ns != no_time) {
        int64_t lost_ns = 0;
        if (!__builtin_sub_overflow(row.time_ns, row.delay_ns, &lost_ns)) {
            facts.repairs.add(lost_ns, row.time_ns);
            facts.lost.add(lost_ns, row.time_ns);
        }
    } else {
        facts.unseen_losses.add(row.time_ns, row.time_ns + 1);
    }
    const int64_t rtt_ns = facts.rtt_min_ns();
    const int64_t gap_ns = rtt_ns == no_time ? SenderFacts::default_round_ns : rtt_ns;
    // By a clock that was set back, nobody knows how long after the one before.
    const bool set_back = elapsed_ns(row.time_ns, burst.spell.end_ns) > least_set_back_ns;
    if (burst.losses == 0 || set_back || elapsed_ns(burst.spell.end_ns, row.time_ns) > gap_ns) {
        burst = {{row.time_ns, row.time_ns, row.packet}, 0};
    }
    burst.spell.end_ns = std::max(burst.spell.end_ns, row.time_ns);
    if (++burst.losses > facts.burst_losses) {
        facts.burst_losses = burst.losses;
        facts.burst = burst.spell;
    }
}

}  // namespace

bool add_loss_rows(std::vector<SenderFacts>& facts, const SenderPlaces& places, const ResultStore& store,
                   const Stop& stop) {
    if (!store.losses().empty()) {
        for (SenderFacts& sender : facts) sender.losses = {};
        std::vector<Burst> bursts(facts.size());
        size_t row_number = 0;
        for (const LossRow& row : store.losses()) {
            if (stop.asked_at(row_number++)) return false;
            const size_t place = places.of(row.connection, row.sender);
            if (place < facts.size()) on_loss(facts[place], bursts[place], row);
        }
    }
    for (const CaTransitionRow& row : store.ca_transitions()) {
        const size_t place = places.of(row.connection, row.sender);
        if (place < facts.size() && row.to == CaState::cwr && std::string_view(row.cause) == "ECN echo") {
            ++facts[place].ecn_reductions;
        }
        if (place < facts.size() && row.to == CaState::disorder) ++facts[place].disorders;
        if (place < facts.size() && row.from == CaState::disorder && row.to == CaState::open)
            ++facts[place].holes_that_filled;
    }
    for (SenderFacts& sender : facts) std::ranges::sort(sender.repeats, {}, &NeedlessRepeat::packet);
    return true;
}

}  // namespace sanscope
