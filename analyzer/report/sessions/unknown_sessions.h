// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/store/result_store.h"

namespace sanscope {

// A connection whose login was not captured stands for a session of its own. Where the same initiator has another one, both may
// be of one session, whose connections share CmdSN (RFC 7143 §4.2.2.1): the commands that each seems to lack are then the
// other's. The numbers of such sessions, ascending.
std::vector<uint32_t> sessions_that_may_be_one(const ResultStore& store);

}  // namespace sanscope
