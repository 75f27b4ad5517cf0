// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analyzer/base/log_histogram.h"
#include "analyzer/base/time_spans.h"
#include "analyzer/report/finding_list.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// Commands that have something in common: how many, and one to go to.
struct CommandsLike {
    uint64_t count = 0;
    uint64_t command = 0;  // 1-based row, 0 where none is known
    CommandRow row;
    uint64_t seen = 0;       // of `count`, those whose rows are known: of the summary alone not all need be
    uint64_t transfers = 0;  // of these, reads and writes …
    uint64_t transfer_command = 0;  // … and the first one
    CommandRow transfer;
    uint64_t reservations = 0;  // of `seen`, PERSISTENT RESERVE OUT
    uint32_t most_depth = 0;    // CommandRow::queue_depth of `seen`, as far as it is known
    bool several_luns = false;
    bool lun_missing = false;  // that of one is not known
    // Of `seen`, by session and LUN (an I_T_L nexus, of as many connections as it may have); of the first most_nexuses.
    std::map<std::pair<uint32_t, uint64_t>, uint64_t> nexuses;

    // Another one of them, whose row is known; it is not counted here.
    void see(uint64_t number, const CommandRow& another);
    // Unknown where they are of several, or of one that is not known.
    uint64_t lun() const { return several_luns || lun_missing ? unknown<uint64_t> : row.lun; }
    // The most of one session and logical unit.
    uint64_t most_of_one_nexus() const;
};

// The commands of one direction.
struct TimeParts {
    LogHistogram turnaround;
    uint64_t bytes = 0;
    uint64_t r2ts = 0;
    uint64_t with_r2ts = 0;  // commands that had any

    uint64_t count() const { return turnaround.count(); }
};

// What one session asked for.
struct SessionFacts {
    uint32_t session = 0;
    TimeParts reads;
    TimeParts writes;
    std::vector<uint32_t> depths;  // by queue depth: requests that found it
    uint64_t requests = 0;
    uint64_t depth_unknown = 0;  // other requests
    uint64_t commands = 0;       // reads and writes, and those of which not even that is known
    int64_t first_ns = no_time;
    int64_t last_ns = no_time;
    int64_t busy_ns = 0;  // something was under way, as the initiator saw it
    int64_t busy_until_ns = no_time;
    int64_t gaps_ns = 0;  // between files of the capture, from the first request to the last answer

    uint64_t bytes() const { return reads.bytes + writes.bytes; }
    uint64_t transfers() const { return reads.count() + writes.count(); }
    // Commands for each whose size and times are known: a capture that was cut, or lacks packets, hides many.
    double for_each_known() const {
        return transfers() == 0
                   ? 1
                   : std::max(1.0, static_cast<double>(commands) / static_cast<double>(transfers()));
    }
    // The least depth that this share of requests did not exceed. 0: not known, since it would be another by a quarter or more, were
    // those of unknown depth all the deepest or the shallowest: it is deep queues whose depth is not known.
    uint32_t depth(double fraction) const;
    // From the first request to the last answer, as far as it was captured.
    int64_t lasted_ns() const { return elapsed_ns(first_ns, last_ns) - gaps_ns; }
    double busy_share() const { return share_of(busy_ns, lasted_ns()); }
};

// A command that took several times as long as half of its kind.
struct SlowCommand {
    uint64_t number = 0;
    const CommandRow* row = nullptr;  // in the store
    int64_t usual_ns =
        0;  // what half of its kind took at the most: on its own logical unit, where that has enough

    int64_t excess_ns() const { return row->turnaround_ns() - usual_ns; }
};

bool is_read(const CommandRow& row);
bool is_write(const CommandRow& row);

// What the findings rest on of the table `commands`: one pass. Of the summary alone where that is not kept.
struct CommandFacts {
    std::vector<SlowCommand> slow;
    uint64_t compared = 0;                           // commands that were held against their kind
    int64_t slow_time_ns = 0;                        // at least one slow one was under way
    std::vector<SessionFacts> sessions;              // the ones with the most commands, by session
    std::map<CommandEnding, CommandsLike> statuses;  // as Summary::errors()
    // Without an answer, by connection.
    std::map<uint32_t, CommandsLike> unanswered;
    std::map<uint32_t, CommandsLike> aborted;
    std::map<uint32_t, CommandsLike> ended_by_target;  // rejected, or their tasks terminated
    // Of `unanswered`, those whose answer came when the initiator had closed its connection already, and the others.
    std::map<uint32_t, CommandsLike> answered_too_late;
    std::map<uint32_t, CommandsLike> never_answered;
    std::vector<TimeSpans> busy;             // by connection - 1: commands under way, as the capture saw them
    std::vector<int64_t> first_transfer_ns;  // by connection - 1: when its first READ or WRITE was answered
    std::vector<int64_t> last_answer_ns;     // by connection - 1
    std::vector<uint64_t> of_connection;     // commands, by connection - 1
    int64_t longest_ns = 0;                  // turnaround
    uint64_t unknown_statuses = 0;  // of commands that were answered, beyond the cut of their packets

    // Leaves out the slow ones of which that is true, and reckons `slow_time_ns` anew.
    template <typename Pred>
    void leave_out_slow(Pred pred) {
        if (std::erase_if(slow, pred) > 0) recount_slow_time();
    }
    void recount_slow_time();

    const SessionFacts* session(uint32_t number) const;
    // Of the commands of `unanswered` of a connection: those that were never answered, or all where each was too late.
    const CommandsLike& left_unanswered(uint32_t connection) const;
    // Of them all, each was answered too late.
    bool all_too_late(uint32_t connection) const;
};

// `in_order`: the capture's clocks are (CaptureClocks).
CommandFacts find_command_facts(const ResultStore& store, bool in_order, const Stop& stop);

}  // namespace sanscope
