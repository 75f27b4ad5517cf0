// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "analyzer/store/result_store.h"

namespace sanscope {

// One capture is taken at one place: of connections between the same two hosts that show it at different hosts, those that
// fewer show are of unknown vantage from then on, and of as many on both sides all. Their least round trip is then the sum of
// both of its parts. What is taken between the hosts contradicts nothing. Of a connection whose round trips are those of clocks that are
// apart, neither is known.
void settle_vantages(ResultStore& store);

}  // namespace sanscope
