// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/compare/session_groups.h"

namespace sanscope {

// Of each session, initiator and target apart, what their TCP did with the data: lost and needlessly repeated segments,
// congestion window, round trip, what is in flight, and what limited it for which share of the time.
void add_sender_figures(const ResultStore& store, SessionGroups& sessions);

}  // namespace sanscope
