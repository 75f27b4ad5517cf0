// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/store/live_counts.h"

#include <bit>
#include <numeric>

#include "analyzer/base/saturated_sum.h"
#include "analyzer/vocabulary/command_ending.h"

namespace sanscope {
namespace {

// Beyond most_units only the operation code tells units apart: 256 of them and none.
constexpr size_t most_entries = LiveCounts::most_units + 257;

// By the bits that a turnaround has, the bounds below all of those: between one power of two and the next there is one bound at most.
constexpr auto bounds_below = [] {
    std::array<uint8_t, 64> below{};
    for (size_t bits = 1; bits < below.size(); ++bits) {
        for (const int64_t bound : turnaround_bounds_ns) {
            if (bound < int64_t{1} << (bits - 1)) ++below[bits];
        }
    }
    return below;
}();

// The bucket of a turnaround, without a branch that depends on it.
size_t bucket_of(int64_t turnaround_ns) {
    const auto value = static_cast<uint64_t>(std::max<int64_t>(turnaround_ns, 0));
    const size_t below = bounds_below[static_cast<size_t>(std::bit_width(value))];
    const int64_t next = turnaround_bounds_ns[std::min(below, turnaround_bounds_ns.size() - 1)];
    return below + static_cast<size_t>(below < turnaround_bounds_ns.size() && turnaround_ns > next);
}

size_t hash_of(uint32_t connection, uint16_t opcode, uint64_t lun) {
    uint64_t hash = (uint64_t{connection} << 16 | opcode) * 0x9e3779b97f4a7c15;
    hash = (hash ^ lun) * 0xbf58476d1ce4e5b9;
    return static_cast<size_t>(hash >> 40);
}

}  // namespace

void CommandCounts::add(const CommandCounts& other) {
    commands += other.commands;
    bytes += other.bytes;
    not_good += other.not_good;
    unanswered += other.unanswered;
    for (size_t i = 0; i < turnaround_buckets; ++i) turnarounds[i] += other.turnarounds[i];
    turnaround_ns = saturated_sum(turnaround_ns, other.turnaround_ns);
}

uint64_t CommandCounts::timed() const {
    return std::accumulate(turnarounds.begin(), turnarounds.end(), uint64_t{0});
}

LiveCounts::LiveCounts() : places_(places) {
    static_assert(most_entries * 3 < places * 2);
}

void LiveCounts::clear() {
    units_.clear();
    senders_.clear();
    std::ranges::fill(places_, uint16_t{0});
    last_ = 0;
}

void LiveCounts::add(Unit& unit, const CommandRow& row) {
    CommandCounts& counts = unit.counts;
    ++counts.commands;
    const bool answered = row.response_packet != 0 || row.outcome == Outcome::completed;
    if (answered && row.bytes != unknown<uint64_t>) counts.bytes += row.bytes;
    if (answered && ended_otherwise_than_good(row)) ++counts.not_good;
    if (row.outcome == Outcome::unanswered || ended_without_answer(row.outcome)) ++counts.unanswered;
    const int64_t turnaround_ns = row.turnaround_ns();
    if (turnaround_ns == no_time) return;
    ++counts.turnarounds[bucket_of(turnaround_ns)];
    ++unit.exponential[exponential_buckets::place_of(turnaround_ns)];
    counts.turnaround_ns = saturated_sum(counts.turnaround_ns, std::max<int64_t>(turnaround_ns, 0));
}

LiveCounts::Unit& LiveCounts::unit_of(const CommandRow& row) {
    const uint32_t connection = row.connection;
    if (last_ != 0) {
        Unit& last = units_[last_ - 1];
        if (last.connection == connection && last.opcode == row.opcode && last.lun == row.lun) return last;
    }
    return place_for(connection, row.opcode, row.lun);
}

LiveCounts::Unit& LiveCounts::place_for(uint32_t connection, uint16_t opcode, uint64_t lun) {
    size_t place = hash_of(connection, opcode, lun) % places;
    for (;; place = (place + 1) % places) {
        if (places_[place] == 0) break;
        Unit& unit = units_[places_[place] - 1];
        if (unit.connection != connection || unit.opcode != opcode || unit.lun != lun) continue;
        last_ = places_[place];
        return unit;
    }
    if (units_.size() >= most_units && connection != 0) return place_for(0, opcode, unknown<uint64_t>);
    units_.push_back({connection, opcode, lun, {}, {}});
    places_[place] = last_ = static_cast<uint16_t>(units_.size());
    return units_.back();
}

// Few senders lose anything within a second, and the one that does does so again.
LiveCounts::Sender& LiveCounts::sender_of(uint32_t connection, Side side) {
    for (auto sender = senders_.rbegin(); sender != senders_.rend(); ++sender) {
        if (sender->connection == connection && sender->side == side) return *sender;
    }
    if (senders_.size() < most_senders) return senders_.emplace_back(Sender{connection, side, {}});
    if (senders_.back().connection != 0) senders_.push_back({});
    return senders_.back();
}

}  // namespace sanscope
