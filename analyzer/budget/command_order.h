// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "analyzer/base/serial32.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// When a command's request reached the target, as far as the capture tells; in the clock of the tap.
struct RequestArrival {
    int64_t time_ns = no_time;      // no_time: not known
    int64_t shortest_ns = no_time;  // … by the shortest way, nothing lost and no queue
    int64_t acknowledged_ns =
        no_time;            // no later than then, as an acknowledgement shows; no_time if none does
    bool repaired = false;  // it, or what was sent before it, was lost and sent again …
    bool by_timer = false;  // … when a timer had expired
};

// A target carries commands out in the order of their CmdSNs over whichever connection of the session they come (RFC 7143 §4.2.2.1):
// one that has arrived waits for those before it. Of sessions with several connections, what each command waited for.
class CommandOrder {
  public:
    struct Wait {
        uint64_t command = 0;
        // All before it had reached the target: likely, and surely. In the clock of the tap.
        int64_t until_ns = no_time;
        int64_t surely_until_ns = no_time;  // no_time where no acknowledgement shows it
        int64_t late_ns = 0;    // by how much that is later than its own arrival by the shortest way
        bool repaired = false;  // the last of them had been lost …
        bool by_timer = false;  // … and a timer expired
    };

    // A command that counts by its CmdSN, of a session with several connections; in about the order of CmdSNs.
    void add(uint64_t command, const CommandRow& row, const RequestArrival& arrival);
    // To be called between the last add() and the first question.
    void finish();
    // nullptr where all before it were there sooner than it was, surely. Good for as long as this is.
    const Wait* of(uint64_t command) const;
    // Of the session's commands nobody knows what they waited for: several were answered before those before them came, so that
    // the capture's times are not of one clock; or it lacks many of them, as where it lacks a connection.
    bool is_in_doubt(uint32_t session) const { return in_doubt_.contains(session); }

  private:
    struct Numbered {
        int64_t cmd_sn;  // unwrapped
        uint64_t command;
        int64_t answered_ns;  // no_time if it was not
        RequestArrival arrival;
    };
    // Whether the order can be told.
    bool add_waits(const std::vector<Numbered>& session);

    std::map<uint32_t, std::vector<Numbered>> by_session_;
    std::vector<Wait> waits_;  // by command
    std::set<uint32_t> in_doubt_;
};

}  // namespace sanscope
