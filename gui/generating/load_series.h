// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "gui/generating/load_process.h"

namespace sanscope {

// A load over time, in so few rows that they can be drawn each second however long it lasts: where there are too many, each
// two become one of twice the duration, with the mean of their rates and the worse of their high percentiles.
class LoadSeries {
  public:
    static constexpr size_t most_rows = 1024;
    // What is left when a load ends may have lasted next to nothing, and then has no rates of its own to speak of.
    static constexpr double shortest_second = 0.25;

    void clear();
    // A row from before the last one is passed over; one right after it belongs to it.
    void add(const LoadSecond& second);
    const std::vector<LoadSecond>& rows() const { return rows_; }

  private:
    double lasted(size_t row) const;  // seconds

    size_t each_ = 1;     // seconds that become a row
    size_t in_last_ = 0;  // … that are in the last one by now
    std::vector<LoadSecond> rows_;
};

}  // namespace sanscope
