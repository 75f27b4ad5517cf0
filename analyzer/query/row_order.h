// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/tables/table.h"

namespace sanscope {

// Puts `rows`, each less than table.rows(), into the order of one column's cells; rows of equal cells keep the order they
// are given in, descending too, and rows whose cell is empty come last, descending too.
//
// Numbers and booleans by value (false before true); text byte by byte, but for columns whose description says that they
// hold IP:PORT (address, then port; IPv4 before IPv6) or hexadecimal digits (by value, as long as every cell is such a
// number).
//
// At most `threads` (at least one: the caller's) ask the table for cells at once. Memory while it runs: 8 bytes a row
// besides `rows` (12 for more than 65,536 distinct texts, or numbers too large beside those of the rows), an eighth of one for each
// thread, and up to 32 MiB. False soon after another thread sets `stop`, which may be nullptr; `rows` are then as
// they were. The table must not change meanwhile.
bool order_rows(const Table& table, size_t column, bool descending, std::vector<uint32_t>& rows,
                const std::atomic<bool>* stop = nullptr, unsigned threads = 2);

}  // namespace sanscope
