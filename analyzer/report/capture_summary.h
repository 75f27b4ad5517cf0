// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>

#include "analyzer/report/findings.h"
#include "analyzer/tables/captures_table.h"

namespace sanscope {

// A capture that was analysed with rows_for_findings, in one row. `file`: its name; `found`: findings(input).
CaptureRow summarise_capture(std::string file, const FindingsInput& input, std::span<const Finding> found);

// Of a capture of which nothing could be analysed: `why` as its damage.
CaptureRow unreadable_capture(std::string file, std::string why);

}  // namespace sanscope
