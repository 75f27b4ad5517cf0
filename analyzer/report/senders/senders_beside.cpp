// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/senders/senders_beside.h"

#include <algorithm>
#include <cstdint>

namespace sanscope {

void add_rates_beside(std::vector<SenderFacts>& facts) {
    for (SenderFacts& sender : facts) {
        const ConnectionRow& own = *sender.connection;
        const int64_t life_ns = elapsed_ns(own.start_ns, own.end_ns);
        for (const SenderFacts& other : facts) {
            const ConnectionRow& row = *other.connection;
            if (&other == &sender || other.is_initiator != sender.is_initiator) continue;
            if (row.initiator.address != own.initiator.address || row.target.address != own.target.address)
                continue;
            const int64_t both_ns =
                elapsed_ns(std::max(row.start_ns, own.start_ns), std::min(row.end_ns, own.end_ns));
            const int64_t its_life_ns = elapsed_ns(row.start_ns, row.end_ns);
            if (both_ns == 0 || its_life_ns == 0) continue;
            sender.beside_rate += static_cast<double>(other.bytes()) * 1e9 /
                                  static_cast<double>(its_life_ns) * share_of(both_ns, life_ns);
        }
    }
}

void add_clock_jumps(std::vector<SenderFacts>& facts, const ResultStore& store) {
    for (const ClockJump& jump : store.clock_jumps()) {
        const int64_t length_ns = elapsed_ns(jump.begin_ns, jump.end_ns);
        SenderFacts* first = nullptr;
        bool known = false;
        for (SenderFacts& sender : facts) {
            if (sender.number != jump.connection) continue;
            if (first == nullptr) first = &sender;
            sender.clock_jumps.spans.finish();
            if (2 * sender.clock_jumps.spans.overlap_ns(jump.begin_ns, jump.end_ns) < length_ns) continue;
            known = true;
            sender.clocks_stood_still =
                sender.clocks_stood_still || sender.clock_jumps.longest.packet == jump.packet;
        }
        if (known || first == nullptr) continue;
        first->clock_jumps.add({jump.begin_ns, jump.end_ns, jump.packet});
        first->clocks_stood_still = first->clock_jumps.longest.packet == jump.packet;
    }
    for (SenderFacts& sender : facts) sender.clock_jumps.spans.finish();
}

void note_who_else_stood_still(std::vector<SenderFacts>& facts) {
    constexpr int64_t longest_repeat_ns = 60'000'000'000;
    for (SenderFacts& sender : facts) {
        if (sender.timeouts.count == 0) continue;
        const Spell& longest = sender.timeouts.longest;
        for (const SenderFacts& other : facts) {
            if (&other == &sender ||
                other.connection->initiator.address != sender.connection->initiator.address ||
                other.connection->target.address != sender.connection->target.address)
                continue;
            const int64_t both_ns = other.timeouts.spans.overlap_ns(longest.begin_ns, longest.end_ns);
            // Its timer was no longer than the stall: what it sent meanwhile had come, and was sent again all the same.
            const bool repeated = std::ranges::any_of(other.repeats, [&](const NeedlessRepeat& repeat) {
                return other.number == sender.number && repeat.delay_ns != no_time &&
                       repeat.delay_ns < longest_repeat_ns && repeat.time_ns > longest.begin_ns &&
                       repeat.time_ns < longest.end_ns;
            });
            if (2 * both_ns >= longest.length_ns() || repeated) sender.others_stood_still = true;
            // Before its end and behind its beginning others may have moved yet, or again.
            const int64_t quarter_ns = longest.length_ns() / 4;
            if (other.number != sender.number &&
                other.flowing.overlap_ns(longest.begin_ns + quarter_ns, longest.end_ns - quarter_ns) > 0)
                sender.others_moved_on = true;
        }
    }
}

}  // namespace sanscope
