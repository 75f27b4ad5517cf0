// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>

#include "analyzer/report/finding_list.h"
#include "analyzer/report/load/service_times.h"

namespace sanscope {

// Commands during which a logical unit's reads and writes stand still: UNMAP, WRITE SAME, COMPARE AND WRITE, EXTENDED COPY; and
// COMPARE AND WRITE that found another host's value, as locks of clusters make them.
void add_stalling_findings(FindingList& list, const ResultStore& store,
                           const std::map<uint32_t, ConnectionWaits>& waits, const Stop& stop);

}  // namespace sanscope
