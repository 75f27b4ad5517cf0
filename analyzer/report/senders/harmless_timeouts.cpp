// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/report/senders/harmless_timeouts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>

#include "analyzer/base/log_histogram.h"

namespace sanscope {
namespace {

// Commands of one kind on one connection, by whether one of its senders stood still meanwhile.
struct HeldAndFree {
    LogHistogram free;
    int64_t longest_held_ns = 0;
};

}  // namespace

void note_harmless_timeouts(std::vector<SenderFacts>& facts, const ResultStore& store, const Stop& stop) {
    std::map<uint32_t, TimeSpans> stood;
    for (SenderFacts& sender : facts) {
        if (sender.timeouts.count + sender.repeats_after_ack.count == 0) continue;
        stood[sender.number].add(sender.timeouts.spans);
        stood[sender.number].add(sender.repeats_after_ack.spans);
    }
    if (stood.empty()) return;
    for (auto& [number, spans] : stood) spans.finish();
    std::map<std::tuple<uint32_t, uint16_t, uint64_t>, HeldAndFree> kinds;
    std::map<uint32_t, TimeSpans> under_way;
    std::set<uint32_t> delayed;
    size_t row_number = 0;
    for (const CommandRow& row : store.commands()) {
        if (stop.asked_at(row_number++)) return;
        const auto found = stood.find(row.connection);
        if (found == stood.end() || row.request_ns == no_time) continue;
        const ConnectionRow& connection = store.connections()[row.connection - 1];
        const int64_t end_ns = row.response_ns == no_time ? connection.end_ns : row.response_ns;
        const bool held = found->second.overlap_ns(row.request_ns, end_ns) > 0;
        if (row.response_ns == no_time || row.inferred) {
            if (held) delayed.insert(row.connection);
            continue;
        }
        constexpr size_t most_kinds = 1024;
        const std::tuple kind(row.connection, row.opcode, row.bytes);
        if (kinds.size() >= most_kinds && !kinds.contains(kind)) {
            if (held) delayed.insert(row.connection);
            continue;
        }
        HeldAndFree& alike = kinds[kind];
        const int64_t took_ns = elapsed_ns(row.request_ns, end_ns);
        if (held) {
            alike.longest_held_ns = std::max(alike.longest_held_ns, took_ns);
            under_way[row.connection].add(row.request_ns, end_ns);
        } else {
            alike.free.add(took_ns);
        }
    }
    constexpr uint64_t least_free = 3;
    for (const auto& [kind, alike] : kinds) {
        const uint32_t connection = std::get<0>(kind);
        if (alike.longest_held_ns == 0) continue;
        const int64_t usual_ns = alike.free.percentile_ns(0.5);
        if (alike.free.count() < least_free || alike.longest_held_ns > usual_ns + usual_ns / 8)
            delayed.insert(connection);
    }
    for (auto& [number, spans] : under_way) spans.finish();
    for (SenderFacts& sender : facts) {
        const auto found = under_way.find(sender.number);
        if (found == under_way.end() || delayed.contains(sender.number)) continue;
        // An answer that stands in the path behind the tap has ended its command for the capture, not for the initiator.
        if (!sender.is_initiator && sender.connection->vantage != Vantage::initiator) continue;
        // What began when all was over was not there to be delayed.
        int64_t stood_ns = 0;
        int64_t covered_ns = 0;
        for (const Spells* spells : {&sender.timeouts, &sender.repeats_after_ack}) {
            stood_ns += spells->total_ns;
            spells->spans.for_each([&](int64_t begin_ns, int64_t end_ns) {
                covered_ns += found->second.overlap_ns(begin_ns, end_ns);
            });
        }
        sender.delayed_no_command = stood_ns > 0 && covered_ns >= stood_ns / 4 * 3;
    }
}

}  // namespace sanscope
