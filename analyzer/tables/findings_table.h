// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "analyzer/store/chunked_rows.h"
#include "analyzer/tables/table.h"
#include "analyzer/tables/tables.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// A finding as a row: what is wrong with what a capture shows. Whoever finds (report/findings.h) fills it.
struct FindingRow {
    std::string_view kind;      // static storage, as the next four
    std::string_view severity;  // problem, notice, information
    std::string_view side;
    std::string_view confidence;
    std::string_view sender;
    std::string title;
    std::string explanation;
    std::string evidence;  // signs, "; " between them
    std::string place;
    int64_t cost_ns = no_time;
    uint32_t connection = 0;
    uint32_t session = 0;
    uint64_t command = 0;
    uint64_t lun = unknown<uint64_t>;
    PacketNumber packet = 0;
    int64_t begin_ns = no_time;
    int64_t end_ns = no_time;
};

// It is none of table_infos(), for its rows are not in a store: its `make` is nullptr.
extern const TableInfo findings_table;

// The rows must outlive the table.
std::unique_ptr<Table> make_findings_table(const ChunkedRows<FindingRow>& findings);

}  // namespace sanscope
