// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "gui/views/selected_range/range_figures.h"

namespace sanscope {

// A line of the table: what it is of, and what is told of a range and of the one it is held against.
struct RangeRow {
    QString name;
    QString shown;
    QString kept;    // empty where there is none
    QString change;  // from `kept` to `shown`; empty where that says nothing
    QString tip;
    bool heading = false;  // of the lines below it
};

// `kept`: nullptr where there is nothing to compare with. Losses and parts that neither has are left out. That two figures differ
// does not say that they differ by more than chance.
std::vector<RangeRow> range_rows(const RangeFigures& shown, const RangeFigures* kept);

}  // namespace sanscope
