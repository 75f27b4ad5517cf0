// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "analyzer/report/finding_list.h"
#include "analyzer/report/senders/sender_facts.h"

namespace sanscope {

// Error recovery that went up step by step: a command grew old, it was aborted, the logical unit or target was reset, the
// session was dropped (SAM-5 §5.11, and what Linux's scsi_error.c does in that order).
void add_error_ladders(FindingList& list, const FindingsInput& input, std::span<const SenderFacts> senders,
                       const Stop& stop);

}  // namespace sanscope
