// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "analyzer/report/findings.h"

namespace sanscope {

// Problems and notices of a capture that goes on, told from its summaries, as findings() orders them: only of kinds that
// nothing coming later can take back. What rests on a share of the time, on what the rest of a sender's data turns out to
// be, or on the capture's end waits for that end.
std::vector<Finding> findings_so_far(const FindingsInput& input);

// Whether such a finding, once made, stands whatever follows.
bool is_never_taken_back(Finding::Kind kind);

}  // namespace sanscope
