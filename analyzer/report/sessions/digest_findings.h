// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/report/finding_list.h"

namespace sanscope {

// PDUs whose digest does not match: of which sender, which PDUs, which part of them, whether a flipped bit or another
// rule explains it, and what that tells of the cause.
void add_digest_findings(FindingList& list, const FindingsInput& input);

}  // namespace sanscope
