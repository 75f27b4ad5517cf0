// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/overview/overview_picture.h"

#include <algorithm>

namespace sanscope {

double OverviewPicture::bytes_per_s(size_t column) const {
    const OverviewBin& bin = columns[column];
    return static_cast<double>(bin.bytes_out + bin.bytes_in + bin.bytes_unknown) * 1e9 /
           static_cast<double>(column_ns);
}

size_t OverviewPicture::column_at(int64_t time_ns) const {
    if (time_ns < begin_ns) return columns.size();
    return std::min(columns.size(), static_cast<size_t>((time_ns - begin_ns) / column_ns));
}

OverviewPicture overview_picture(std::span<const OverviewBin> bins, int64_t begin_ns, int64_t width_ns,
                                 size_t most) {
    OverviewPicture picture;
    picture.most_columns = most;
    if (bins.empty() || most == 0) return picture;
    const size_t together = (bins.size() + most - 1) / most;
    picture.begin_ns = begin_ns;
    picture.column_ns = width_ns * static_cast<int64_t>(together);
    picture.columns.resize((bins.size() + together - 1) / together);
    for (size_t i = 0; i < bins.size(); ++i) picture.columns[i / together].add(bins[i]);
    for (size_t i = 0; i < picture.columns.size(); ++i) {
        const OverviewBin& column = picture.columns[i];
        picture.most_bytes_per_s = std::max(picture.most_bytes_per_s, picture.bytes_per_s(i));
        picture.most_losses = std::max(picture.most_losses, column.losses);
        picture.slowest_ns = std::max(picture.slowest_ns, column.slowest_ns);
        picture.losses += column.losses;
        picture.bytes_unknown += column.bytes_unknown;
        picture.commands += column.commands;
    }
    return picture;
}

}  // namespace sanscope
