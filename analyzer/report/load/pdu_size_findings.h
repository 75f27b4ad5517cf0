// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "analyzer/report/finding_list.h"
#include "analyzer/report/senders/sender_facts.h"

namespace sanscope {

// Data that go in small PDUs: where they limit what is under way on a long path, and what the login allowed. Looks at what
// is in the list already, so that nothing is told twice.
void add_pdu_size_findings(FindingList& list, const FindingsInput& input,
                           std::span<const SenderFacts> senders, const Stop& stop);

}  // namespace sanscope
