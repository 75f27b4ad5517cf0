// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/senders/find_sender_facts.h"

#include <cstddef>
#include <span>

#include "analyzer/report/senders/capture_times.h"
#include "analyzer/report/senders/chosen_senders.h"
#include "analyzer/report/senders/harmless_timeouts.h"
#include "analyzer/report/senders/loss_rows.h"
#include "analyzer/report/senders/senders_beside.h"
#include "analyzer/report/senders/window_pass.h"

namespace sanscope {
namespace {

// The one pass over the table `windows`. Whether it went to the end: not if stopped.
bool add_window_rows(std::vector<SenderFacts>& facts, const SenderPlaces& places, const ResultStore& store,
                     CaptureTimes& capture_times, const Stop& stop) {
    std::vector<WindowPass> passes;
    passes.reserve(facts.size());
    for (SenderFacts& sender : facts) {
        passes.emplace_back(
            sender,
            store.pdu_pauses().of(sender.number, sender.is_initiator ? Role::initiator : Role::target),
            store.clock_jumps());
    }
    const StoredRows<WindowRow>& windows = store.windows();
    size_t row_number = 0;
    const bool times_wanted = !capture_times.empty();
    bool stopped = false;
    windows.for_each_run([&](std::span<const WindowRow> rows, size_t) {
        for (const WindowRow& row : rows) {
            stopped = stopped || stop.asked_at(row_number++);
            if (stopped) return;
            const auto [place, other] = places.of_both(row.connection, row.sender);
            if (place < passes.size()) passes[place].on_row(row);
            if (times_wanted && place < facts.size() && facts[place].captured_at_sender())
                capture_times.on_packet(row.packet, row.time_ns);
            if (other < passes.size()) passes[other].on_answer(row);
        }
    });
    if (stopped) return false;
    for (WindowPass& pass : passes) pass.finish();
    capture_times.finish();
    return true;
}

void add_repeats_came(std::vector<SenderFacts>& facts, const SenderPlaces& places,
                      const CaptureTimes& capture_times) {
    for (SenderFacts& sender : facts) {
        Spell stall = sender.timeouts.longest;
        const size_t other = places.of(sender.number, other_side(sender.summary->side()));
        if (other < facts.size() && facts[other].timeouts.longest.length_ns() > stall.length_ns())
            stall = facts[other].timeouts.longest;
        sender.repeats_came = how_repeats_came(sender, stall, capture_times);
    }
}

}  // namespace

std::vector<SenderFacts> find_sender_facts(const ResultStore& store, const std::vector<uint32_t>& wanted,
                                           const std::vector<TimeSpans>& busy, const Stop& stop) {
    SenderPlaces places(store.connections().size());
    std::vector<SenderFacts> facts = chosen_senders(store, wanted, places);
    for (SenderFacts& sender : facts) {
        if (sender.number <= busy.size() && !busy[sender.number - 1].empty())
            sender.busy = &busy[sender.number - 1];
    }
    if (!add_loss_rows(facts, places, store, stop)) return {};
    CaptureTimes capture_times;
    for (const SenderFacts& sender : facts) {
        for (const NeedlessRepeat& repeat : sender.repeats) {
            if (sender.captured_at_sender() || repeat.original == 0) continue;
            capture_times.want(repeat.original);
            capture_times.want(repeat.packet);
        }
    }
    capture_times.ready();
    if (!add_window_rows(facts, places, store, capture_times, stop)) return {};
    add_repeats_came(facts, places, capture_times);
    for (SenderFacts& sender : facts) {
        sender.repairs.finish();
        sender.lost.finish();
        sender.unseen_losses.finish();
        sender.silences.finish();
    }
    add_clock_jumps(facts, store);
    add_rates_beside(facts);
    note_who_else_stood_still(facts);
    note_harmless_timeouts(facts, store, stop);
    return facts;
}

}  // namespace sanscope
