// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "captures/iscsi_peer/login/login_exchange.h"
#include "captures/load/load_account.h"

namespace sanscope {

// A load that has ended.
struct LoadSummary {
    LoadAccount account;
    LoginOutcome negotiated;                        // of the first connection
    std::vector<std::string> targets;               // as they were given: URLs
    std::vector<std::string> tcp_differences = {};  // what TCP has other than asked for, in sentences
    unsigned sessions = 1;
    unsigned connections = 1;  // of all sessions
    unsigned queue_depth = 1;  // commands in flight at most, of all sessions
    uint64_t request_bytes = 0;
    bool at_a_rate = false;  // so that turnaround since commands were due is another one
};

// "3 BUSY, 2 timed out"; "" where nothing failed.
std::string failures_text(const LoadAccount& account);

// One second of a load, without a line feed: throughput, commands a second, turnaround, what failed. `at_seconds`:
// since the start; `in_flight`: at its end.
std::string running_line(const LoadAccount& second, double at_seconds, uint64_t in_flight);

// For reading: several lines.
std::string load_text(const LoadSummary& summary);

// A row for each second: of the columns `seconds` is since the start, `in_flight` at the second's end, all else within
// it.
std::string_view load_csv_header();
std::string load_csv_row(const LoadAccount& second, double at_seconds, uint64_t in_flight);

}  // namespace sanscope
