// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/query/row_filter.h"
#include "analyzer/tables/table.h"

namespace sanscope {

// How a selection ended.
struct SelectOutcome {
    size_t next;        // the first row not looked at: `last` unless stopped
    uint64_t given_up;  // see RowTest::given_up()
};

// Appends the numbers of the rows in [first, last) that the filter selects to `rows`, in order; `last` is cut to the
// rows there are. Ends early soon after another thread sets `stop`, which may be nullptr; `rows` then holds what was
// found before SelectOutcome::next. A table can be selected from in parts, by several threads at once as far as the table
// allows.
SelectOutcome select(const RowFilter& filter, const Table& table, size_t first, size_t last,
                     std::vector<size_t>& rows, const std::atomic<bool>* stop = nullptr);

}  // namespace sanscope
