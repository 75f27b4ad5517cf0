// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace sanscope {

// A table for people that sums a capture up. Of its figures, which may be tens of thousands, only those that are looked at are
// written out.
struct StatisticsTable {
    enum class Format : uint8_t { words, number, bytes, bytes_a_second, nanoseconds, percent };

    struct Cell {
        QString words;                // for Format::words
        std::optional<double> value;  // what it is sorted by; nothing: by its text
        Format format = Format::words;
        bool stands_out = false;
        bool is_figure = false;  // a count, size, duration or share: what one looks for is the greatest

        QString text() const;
    };
    struct Row {
        std::vector<Cell> cells;
        // What selects what it sums up, over the columns of `filter_table`; empty: nothing does.
        QString filter;
    };

    QStringList columns;
    std::vector<Row> rows;
    QString filter_table;   // "connections"
    QString note;           // to be read beside it; may be empty
    bool complete = false;  // false: stopped, nothing holds
};

}  // namespace sanscope
