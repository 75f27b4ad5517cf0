// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analyzer/report/command_facts.h"
#include "analyzer/report/finding_list.h"
#include "analyzer/report/senders/sender_facts.h"

namespace sanscope {

// The load of a session in one direction, that of most of its data, as the findings about it reckon with it. In: what its commands
// and the sender of the data have shown. Out: its usual figures, and the thresholds that several findings share.
struct SessionLoad {
    // From here on a share is the greater part.
    static constexpr double most = 0.5;
    // Fewer commands make no load to judge.
    static constexpr uint64_t least_transfers = 20;
    // What a link of 1 Gbit/s carries: load that could do more than this is not short of commands.
    static constexpr double plenty = 125e6;
    // Half of what that link could carry leaves nothing to complain of.
    static constexpr double half_of_plenty = 0.5 * plenty;
    // On a shorter path, round trips are none of anyone's trouble.
    static constexpr int64_t least_long_path_ns = 2'000'000;
    // An initiator that waits longer than this part of its time before it asks again has nothing to gain from asking at once.
    static constexpr double busy_enough = 0.7;

    // `of_data`: the sender of the data, and which part of the session's it sent, more than 0; others send the rest over other
    // connections. `of_commands`: those of that direction, at least one of them.
    SessionLoad(FindingList& of_all, const SessionFacts& facts, const SessionRow& session_row,
                const SenderFacts& of_data, double part_of_data, const TimeParts& of_commands, bool of_reads);

    // A finding about the sender of the data.
    Finding begin(Finding::Kind kind, Finding::Severity severity, int64_t cost_ns) const;
    std::string_view noun() const { return reads ? "read" : "write"; }
    std::string size() const;  // of the mean command: "64 KiB"

    FindingList& list;
    const SessionFacts& session;
    const SessionRow& row;
    const SenderFacts& sender;
    double sender_share;
    const TimeParts& parts;
    bool reads;
    int64_t rtt_ns = 0;         // the least; 0 where it is not known
    int64_t behind_tap_ns = 0;  // what a command's time is longer for the initiator than the capture shows
    int64_t turnaround_ns = 0;
    int64_t busy_ns = 0;
    uint32_t depth = 0;  // half of the requests found so much or less under way
    double mean_bytes = 0;
    double throughput = 0;  // bytes a second
};

}  // namespace sanscope
