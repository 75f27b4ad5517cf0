// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>

#include "analyzer/report/findings.h"
#include "analyzer/store/chunked_rows.h"
#include "analyzer/tables/findings_table.h"

namespace sanscope {

// Findings as rows of the table `findings`, in their order.
void append_finding_rows(std::span<const Finding> findings, ChunkedRows<FindingRow>& rows);

// "one; two"
std::string joined_evidence(const Finding& finding);

// The report's first section: problems and notices with what shows them, or that nothing is wrong. `colour`: the marks as
// terminals colour them. Ends with a line break; empty where there is nothing to say.
std::string what_is_wrong_section(std::span<const Finding> findings, bool colour);

}  // namespace sanscope
