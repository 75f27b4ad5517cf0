// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/select.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace sanscope {

SelectOutcome select(const RowFilter& filter, const Table& table, size_t first, size_t last,
                     std::vector<size_t>& rows, const std::atomic<bool>* stop) {
    // So few that a slow regular expression does not make the user wait, so many that asking costs nothing.
    constexpr size_t rows_between_looks = RowTest::most_at_once;
    RowTest selected(filter, table);
    last = std::min(last, table.rows());
    size_t row = std::min(first, last);
    while (row < last) {
        if (stop != nullptr && stop->load(std::memory_order_relaxed)) break;
        const size_t end = std::min(last, row + rows_between_looks);
        for (uint64_t found = selected.of_rows(row, end - row); found != 0; found &= found - 1)
            rows.push_back(row + static_cast<size_t>(std::countr_zero(found)));
        row = end;
    }
    return {row, selected.given_up()};
}

}  // namespace sanscope
