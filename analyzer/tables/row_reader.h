// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "analyzer/tables/table.h"

namespace sanscope {

// Calls `visit` with the cells of each row of a table, in order, until it returns false: some rows are asked for at once.
template <class Visit>
void for_each_row(const Table& table, Visit visit) {
    constexpr size_t rows_at_once = 16;
    const size_t width = table.columns().size();
    std::vector<Cell> cells(rows_at_once * width);
    for (size_t first = 0; first < table.rows(); first += rows_at_once) {
        const size_t rows = std::min(rows_at_once, table.rows() - first);
        table.row_cells(first, std::span(cells).first(rows * width));
        for (size_t row = 0; row < rows; row++) {
            if (!visit(std::span<const Cell>(cells).subspan(row * width, width))) return;
        }
    }
}

}  // namespace sanscope
