// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "analyzer/budget/budget_parts.h"
#include "analyzer/store/chunked_rows.h"
#include "analyzer/tables/table.h"
#include "analyzer/tables/tables.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// A capture as a row: what lists of many captures show. Whoever analysed it fills the row (report/capture_summary.h).
struct CaptureRow {
    std::string file;  // as it was given; several that are one capture with commas between
    int64_t start_ns = no_time;
    int64_t end_ns = no_time;
    uint64_t packets = 0;
    uint64_t wire_bytes = 0;
    uint64_t dropped = unknown<uint64_t>;
    uint32_t connections = 0;
    uint32_t sessions = 0;
    std::string target_names;  // with commas between
    uint64_t commands = 0;
    uint64_t bytes_read = unknown<uint64_t>;
    uint64_t bytes_written = unknown<uint64_t>;
    uint64_t errors = 0;
    uint64_t unanswered = 0;
    uint64_t retransmissions = 0;
    int64_t turnaround_p50_ns = no_time;
    int64_t turnaround_p99_ns = no_time;
    bool budgets_known = false;
    std::array<int64_t, budget_parts> budgets_ns{};
    uint64_t problems = 0;
    uint64_t notices = 0;
    // The first problem or notice; empty where there is none.
    std::string finding;
    std::string finding_title;
    int64_t finding_cost_ns = no_time;
    PacketNumber finding_packet = 0;
    std::string damage;  // what could not be read, and where; empty: nothing
};

// None of table_infos(), for its row is in no store: its `make` is nullptr.
extern const TableInfo captures_table;

// The rows must outlive the table.
std::unique_ptr<Table> make_captures_table(const ChunkedRows<CaptureRow>& captures);

}  // namespace sanscope
