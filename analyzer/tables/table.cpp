// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/tables/table.h"

namespace sanscope {

void Table::numbers(size_t first, size_t count, std::span<const NumberSlice> slices) const {
    Cell made;
    for (size_t i = 0; i < count; i++) {
        for (const NumberSlice& slice : slices) {
            cell(first + i, slice.column, made);
            slice.set(i, made);
        }
    }
}

void Table::cells(size_t column, size_t first, std::span<Cell> cells) const {
    for (size_t i = 0; i < cells.size(); i++) cell(first + i, column, cells[i]);
}

void Table::row_cells(size_t first, std::span<Cell> cells) const {
    const size_t width = columns().size();
    for (size_t i = 0; i < cells.size(); i++) cell(first + i / width, i % width, cells[i]);
}

}  // namespace sanscope
