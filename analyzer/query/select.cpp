// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/query/select.h"

#include <algorithm>

namespace sanscope {

SelectOutcome select(const RowFilter& filter, const Table& table, size_t first, size_t last,
                     std::vector<size_t>& rows, const std::atomic<bool>* stop) {
    // So few that a slow regular expression does not make the user wait, so many that asking costs nothing.
    constexpr size_t rows_between_looks = 64;
    RowTest selected(filter, table);
    last = std::min(last, table.rows());
    size_t row = std::min(first, last);
    while (row < last) {
        if (stop != nullptr && stop->load(std::memory_order_relaxed)) break;
        const size_t end = std::min(last, row + rows_between_looks);
        for (; row < end; row++) {
            if (selected(row)) rows.push_back(row);
        }
    }
    return {row, selected.given_up()};
}

}  // namespace sanscope
