// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/timeline/timeline.h"

namespace sanscope {

// What the strip over the whole capture draws: columns of equal width from `begin_ns` on, and their greatest figures.
struct OverviewPicture {
    size_t most_columns = 0;  // as asked for
    int64_t begin_ns = 0;
    int64_t column_ns = 1;
    std::vector<OverviewBin> columns;

    double most_bytes_per_s = 0;  // of all directions together
    uint32_t most_losses = 0;
    int64_t slowest_ns = no_time;
    uint64_t losses = 0;
    uint64_t bytes_unknown = 0;  // whose direction is not known
    uint64_t commands = 0;

    bool empty() const { return columns.empty(); }
    int64_t begin_of(size_t column) const { return begin_ns + static_cast<int64_t>(column) * column_ns; }
    double bytes_per_s(size_t column) const;
    // The column of a moment; columns.size() where it has none.
    size_t column_at(int64_t time_ns) const;
};

// From bins of `width_ns`: as many neighbours together as it takes for `most` columns or fewer, most > 0.
OverviewPicture overview_picture(std::span<const OverviewBin> bins, int64_t begin_ns, int64_t width_ns,
                                 size_t most);

}  // namespace sanscope
