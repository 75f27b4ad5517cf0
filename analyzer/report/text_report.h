// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "analyzer/engine/engine.h"
#include "analyzer/ingest/packet_source.h"
#include "analyzer/report/findings.h"

namespace sanscope {

// What a report is about; all of it analysed to the end.
struct ReportInput {
    const std::vector<std::string>& files;
    const PacketSource& source;
    const Engine::Totals& totals;
    const Issues& issues;
    const ResultStore& store;
    std::vector<Finding> findings = {};
    bool colour = false;  // marks of findings as terminals show them
    // The same capture's with the rows of commands, where `store` keeps none.
    const ResultStore* rows = nullptr;
    // where_the_time_went_section() of it, where it was made already.
    const std::string* where_the_time_went = nullptr;
};

// The human summary: what is wrong, what held TCP back, who talked to whom, what was negotiated, what each side's TCP did and what its
// kernel says to that, how many commands of which kind and how long they took, queue depth, throughput, errors, everything
// unanswered, and what the capture lacks. Lines of at most some 130 characters, UTF-8.
std::string text_report(const ReportInput& input);

}  // namespace sanscope
