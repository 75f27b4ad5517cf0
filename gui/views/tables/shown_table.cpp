// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/tables/shown_table.h"

namespace sanscope {

void ShownTable::cell(size_t row, size_t column, Cell& cell) const {
    if (column == 0) reached_.store(row, std::memory_order_relaxed);
    table_.cell(rows_ ? (*rows_)[row] : row, column, cell);
}

}  // namespace sanscope
