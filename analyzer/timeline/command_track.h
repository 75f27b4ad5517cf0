// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory_resource>
#include <queue>
#include <vector>

#include "analyzer/timeline/lod_pyramid.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// The commands of one connection, in order of when they began.
struct CommandTrack {
    explicit CommandTrack(std::pmr::memory_resource* memory)
        : commands(memory), slots(memory), turnaround(no_time, memory) {}

    std::pmr::vector<uint32_t> commands;  // rows, 0-based
    // Of `commands`: no two with the same slot are under way at once, but for what CommandSlots says of those without an end.
    std::pmr::vector<uint16_t> slots;
    uint16_t slots_used = 0;
    LodPyramid<int64_t> turnaround;  // of `commands`, nanoseconds
    // The longest that a command is known to have taken: one that is under way at t begins after t - longest_ns, but
    // for those in `unended`.
    int64_t longest_ns = 0;
    int64_t last_end_ns = no_time;  // when the last of those that ended did
    // Positions in `commands`, ascending: of those that have not ended; as the capture grows also of those that were thought
    // so once and ended without a turnaround.
    std::vector<uint32_t> unended;
};

// Gives each command the lowest slot that is free when it begins. Commands come in order of their beginning. Those without an
// end, as there are many where a capture misses answers, keep at most so many slots: beyond, the earliest gives its slot to
// others once enough commands have begun after it.
class CommandSlots {
  public:
    static constexpr size_t most_without_end = 16;
    static constexpr uint64_t patience = 256;

    struct Place {
        uint64_t ticket;  // 1 for the first command, and so on
        uint16_t slot;
    };
    // `end_ns`: no_time where that is not known yet; release() shows it.
    Place take(int64_t start_ns, int64_t end_ns);
    void release(const Place& place, int64_t end_ns);
    uint16_t used() const { return used_; }

  private:
    struct Busy {
        int64_t until_ns;
        uint16_t slot;
        bool operator>(const Busy& other) const { return until_ns > other.until_ns; }
    };
    std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy_;
    std::priority_queue<uint16_t, std::vector<uint16_t>, std::greater<>> free_;
    void give_up_the_earliest();

    uint16_t used_ = 0;
    uint64_t tickets_ = 0;
    std::vector<uint64_t> kept_by_;  // by slot: the ticket of the command without an end that has it, or 0
    std::deque<Place> without_end_;  // in order of tickets, with those that ended since
    size_t slots_kept_ = 0;          // of these
};

}  // namespace sanscope
