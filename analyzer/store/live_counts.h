// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/store/exponential_buckets.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// The upper bounds of a histogram of turnarounds, nanoseconds: 1, 2, 5 of each decade from 10 µs to 50 s. What is longer is in
// one bucket more.
constexpr std::array<int64_t, 21> turnaround_bounds_ns = {
    10'000,      20'000,        50'000,        100'000,       200'000,        500'000,        1'000'000,
    2'000'000,   5'000'000,     10'000'000,    20'000'000,    50'000'000,     100'000'000,    200'000'000,
    500'000'000, 1'000'000'000, 2'000'000'000, 5'000'000'000, 10'000'000'000, 20'000'000'000, 50'000'000'000};
constexpr size_t turnaround_buckets = turnaround_bounds_ns.size() + 1;

// What commands that ended came to.
struct CommandCounts {
    uint64_t commands = 0;      // rows of the table `commands`, whatever their outcome
    uint64_t bytes = 0;         // expected data transfer length of those that were answered
    int64_t turnaround_ns = 0;  // sum of those that have a turnaround
    uint64_t not_good = 0;      // answered otherwise than with GOOD
    uint64_t unanswered = 0;    // of outcome unanswered or aborted
    std::array<uint64_t, turnaround_buckets>
        turnarounds{};  // of those that have one, each in its bucket alone

    void add(const CommandCounts& other);
    uint64_t timed() const;  // those that have a turnaround
};

// What happened since somebody asked before: commands that ended by connection, logical unit and operation code, what senders
// sent again by connection and kind. Bounded: what finds no place is told of connection 0. One thread at a time; a command
// costs one look into a table.
class LiveCounts {
  public:
    static constexpr size_t most_units =
        2048;  // of connection, LUN and operation code, between two questions
    static constexpr size_t most_senders = 1024;  // likewise, of connection and side

    struct Unit {
        uint32_t connection = 0;  // 0: those that found no place, of whatever connection and LUN
        uint16_t opcode = unknown<uint16_t>;
        uint64_t lun = unknown<uint64_t>;
        CommandCounts counts;
        // The turnarounds again, by their places in exponential_buckets: 2^32 between two questions at most.
        std::array<uint32_t, exponential_buckets::places> exponential{};
    };
    // Rows of the table `losses` by kind. A row may have been given another kind: then one is taken off.
    struct Sender {
        uint32_t connection = 0;  // 0: those that found no place
        Side side = Side::a;
        std::array<int64_t, loss_kinds> losses{};
    };

    LiveCounts();
    void on_end(const CommandRow& row) { add(unit_of(row), row); }
    void on_loss(uint32_t connection, Side side, LossKind kind, int64_t by) {
        sender_of(connection, side).losses[static_cast<size_t>(kind)] += by;
    }

    const std::vector<Unit>& units() const { return units_; }
    const std::vector<Sender>& senders() const { return senders_; }
    void clear();

  private:
    static constexpr size_t places = 4096;  // a power of two; half as many again as units, and more
    static void add(Unit& unit, const CommandRow& row);
    Unit& unit_of(const CommandRow& row);
    Unit& place_for(uint32_t connection, uint16_t opcode, uint64_t lun);
    Sender& sender_of(uint32_t connection, Side side);

    std::vector<uint16_t> places_;  // of a unit by its hash: its index + 1, 0 for none
    std::vector<Unit> units_;
    std::vector<Sender> senders_;
    uint16_t last_ = 0;  // the unit of the command before
};

}  // namespace sanscope
