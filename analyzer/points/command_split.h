// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "analyzer/points/points_of_path.h"
#include "analyzer/store/chunked_rows.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// Whose time a command's was, measured at two points: docs/points.md.

// Why a command is not split.
enum class SplitLack : uint8_t {
    none,
    unanswered,  // it has no status, or no request
    headers,     // a PDU's header was not captured, or one came over another connection
    bytes,  // the first or last bytes are not in both captures, or did not come by where they should have
    overlapping,  // the target asked for more data, or answered, before it had what it had asked for: nothing waited for
                  // the other
    clock,  // a clock was stepped, or may have been
    order,  // nobody knows which point packets pass first
};
constexpr size_t split_lacks = 7;

// One command between two neighbouring points; `near` is the one that its request passes first, `far` the other: the pair's a and b,
// or b and a where the command's initiator is on that side. Moments at near are those of its clock, and so are those at far. With another `lack` than none all else is empty (no_time, unbounded).
struct CommandSplit {
    CommandNumber command;   // in the store it was split by
    uint32_t pair = 0;       // index into PathPoints::pairs
    uint32_t at = 0;         // index into PointPair::connections
    bool near_is_b = false;  // of the pair
    SplitLack lack = SplitLack::none;
    // Times it went to far and back: 1, and 1 for each R2T PDU for which all else waited.
    uint32_t round_trips = 0;
    // From the request's last byte at near to the status's last byte there. The sum of the next four, exactly.
    int64_t turnaround_ns = no_time;
    int64_t initiator_ns = no_time;  // the initiator, and what lies before near, had Data-Out to send
    int64_t paths_ns = no_time;      // there and back, all round trips
    // Far had passed on all that the target waited for, until an R2T's end or the answer's first byte came back there.
    int64_t target_ns = no_time;
    // Of it: what stands before that in the target's stream, mostly of other commands, had not left far yet. The target or its TCP may
    // have held that up. no_time where far's capture lacks it.
    int64_t behind_others_ns = no_time;
    int64_t answer_ns = no_time;  // from the answer's first byte at far to its last
    // These two together are paths_ns; each rests on the offset of the clocks.
    TimeBand out = {};
    TimeBand back = {};
    // Of out and of back: until what was lost or overtaken between the points had come, the command's own bytes and those before them.
    // no_time where copies cannot be told apart.
    int64_t recovery_out_ns = no_time;
    int64_t recovery_back_ns = no_time;
};

struct CommandSplitOptions {
    const std::atomic<bool>* stop = nullptr;
    std::function<void(uint64_t done, uint64_t of)> progress;  // commands, now and then
};

// What an analysis must keep for it.
ResultStore::Keep rows_for_command_split();

// Appends a row for each command and each pair of points that its connection was seen at, in order of pairs, connections, commands.
// `store`: the analysis of the first point's capture, finished, kept as above. False where it was stopped.
bool split_commands(const PathPoints& path, const ResultStore& store, const CommandSplitOptions& options,
                    ChunkedRows<CommandSplit>& rows);

}  // namespace sanscope
