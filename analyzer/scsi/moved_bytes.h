// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "analyzer/vocabulary/rows.h"

namespace sanscope {

// How many bytes of data an answered command read or wrote: the ExpectedDataTransferLength without what the residual count
// tells was not transferred (RFC 7143 §11.4.5); none where it was not carried out (SAM-5 §5.3.1, SPC-4 §4.5.6). Of a
// bidirectional command what it wrote. unknown<uint64_t> where the answer does not tell.
uint64_t moved_bytes(const CommandRow& row);

}  // namespace sanscope
