// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "gui/plot/time_viewport.h"

namespace sanscope {

// Where in a list of rows in order of time each column of a prepared range begins: of `count` rows, whose times
// `time_at(position)` shows, column c holds the positions [begins[c], begins[c + 1]). Looks at some rows a column however
// many there are.
struct RowColumns {
    PreparedRange prepared;
    std::vector<size_t> begins;  // one more than there are columns

    size_t first() const { return begins.front(); }
    size_t last() const { return begins.back(); }
    size_t rows() const { return last() - first(); }
    size_t columns() const { return begins.size() - 1; }
    // So few that each is drawn by itself.
    bool near() const { return rows() <= 2 * columns(); }
};

// The first position of [from, count) whose time is not before `time_ns`: quick where it is not far from `from`.
template <class TimeAt>
size_t gallop_to(size_t from, size_t count, int64_t time_ns, TimeAt time_at) {
    size_t low = from;
    size_t step = 1;
    while (low < count && time_at(low) < time_ns) {
        from = low + 1;
        low += step;
        step *= 2;
    }
    size_t high = low < count ? low : count;
    while (from < high) {
        const size_t middle = from + (high - from) / 2;
        if (time_at(middle) < time_ns) {
            from = middle + 1;
        } else {
            high = middle;
        }
    }
    return from;
}

template <class TimeAt>
RowColumns row_columns(const PreparedRange& prepared, size_t count, TimeAt time_at) {
    RowColumns columns;
    columns.prepared = prepared;
    const size_t wanted = prepared.columns();
    columns.begins.reserve(wanted + 1);
    size_t position = 0;
    for (size_t c = 0; c <= wanted; ++c) {
        const int64_t begin_ns = prepared.range.begin_ns + static_cast<int64_t>(c) * prepared.ns_per_column;
        position = gallop_to(position, count, begin_ns, time_at);
        columns.begins.push_back(position);
    }
    return columns;
}

// Calls with positions: the last one before the range, and of each column all, or where there are very many some that
// tell the shares of its time.
template <class Visit>
void visit_some(const RowColumns& columns, Visit visit) {
    constexpr size_t most_of_column = 64;
    if (columns.first() > 0) visit(columns.first() - 1);
    for (size_t c = 0; c < columns.columns(); ++c) {
        const size_t count = columns.begins[c + 1] - columns.begins[c];
        const size_t stride = count / most_of_column + 1;
        for (size_t i = columns.begins[c]; i < columns.begins[c + 1]; i += stride) visit(i);
    }
}

}  // namespace sanscope
