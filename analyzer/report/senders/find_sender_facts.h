// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/base/time_spans.h"
#include "analyzer/report/finding_list.h"
#include "analyzer/report/senders/sender_facts.h"
#include "analyzer/store/result_store.h"

namespace sanscope {

// The facts of the senders worth showing: those most held back, those with the most losses, those with the most data,
// and those of the `wanted` connections (numbers). `busy`: by connection - 1, which must outlive the facts. Empty if stopped.
std::vector<SenderFacts> find_sender_facts(const ResultStore& store, const std::vector<uint32_t>& wanted,
                                           const std::vector<TimeSpans>& busy, const Stop& stop);

}  // namespace sanscope
