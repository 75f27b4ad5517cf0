// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <type_traits>

#include "analyzer/store/chunked_rows.h"
#include "analyzer/store/packed_rows.h"

namespace sanscope {

// How the rows of a table are kept: packed those of which there is one a packet or so, and which do not change.
template <class Row>
using StoredRows = std::conditional_t<IsPacked<Row>::value, PackedRows<Row>, ChunkedRows<Row>>;

}  // namespace sanscope
