// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "analyzer/store/chunked_rows.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// Statuses of commands of which no row shows: that they came is known by StatSN, and between which packets.
struct UnpairedStatuses {
    uint32_t session = 0;
    uint32_t count = 0;
    PacketNumber first_packet = 0;
    PacketNumber last_packet = 0;
};

// Requests of which no row shows.
struct UnlistedRequests {
    uint32_t session = 0;
    uint32_t count = 0;  // unknown<uint32_t>: there may be some
    // That of the next request, whose CmdSN tells of them; where their number is not known, the first that may hold one.
    PacketNumber packet = 0;
};

// Writes `queue_depth` into every command whose request is known: the commands of its session under way at its
// request_packet, itself included. A command is under way from the packet that completes its request until the one that
// completes its status, or aborts it, or brings another request with its task tag, which no initiator sends earlier.
//
// Told from the finished rows, not while they come: what was held back behind a hole, or inferred, has its packets but
// long after they passed.
//
// A command whose status came nobody knows when ends with one of the `unpaired`: how many of these commands have ended by
// a request is between what their packets tell, and no more than were requested. Where both are not the same number, the
// depth is left empty. Where the `unpaired` are fewer than these commands, or more, nobody knows which of them are theirs.
// Those `unlisted` are such commands too; where their number is not known, no depth is, from there on. Of the
// sessions `begun_before` the capture no login shows. There, and behind a gap in CmdSN, requests may be under way of which no
// row shows: until the last response alone, if there are more of these than `unlisted` requests, the depth is not known.
void fill_queue_depths(ChunkedRows<CommandRow>& commands, std::span<const UnpairedStatuses> unpaired,
                       std::span<const UnlistedRequests> unlisted,
                       std::span<const uint32_t> begun_before = {});

struct ImpossibleDepths {
    uint64_t count = 0;
    PacketNumber first_packet = 0;  // of the request
};

// Empties the depths of a session that are more than its target's command window at its widest, MaxCmdSN - ExpCmdSN + 1
// (RFC 7143 §4.2.2.1), ever let its initiator send. Only where answers are missing from the capture or were inferred: else
// all were counted, and the target had opened its window again before it answered.
ImpossibleDepths clear_impossible_depths(ChunkedRows<CommandRow>& commands,
                                         const ChunkedRows<SessionRow>& sessions,
                                         std::span<const UnpairedStatuses> unpaired);

}  // namespace sanscope
