// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/turnaround/turnaround_statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <string_view>
#include <unordered_map>

namespace sanscope {
namespace {

uint64_t key_of(const CommandRow& row, GroupBy by) {
    switch (by) {
        case GroupBy::opcode:
            return row.opcode;
        case GroupBy::size:
            return row.bytes == unknown<uint64_t> || row.bytes == 0
                       ? 0
                       : static_cast<uint64_t>(std::bit_width(row.bytes - 1)) + 1;
        case GroupBy::lun:
            return row.lun;
        case GroupBy::session:
            break;
    }
    return row.session;
}

// Of one group, where its key does not say it alone: two service actions have one opcode.
uint64_t place_of(const CommandRow& row, uint64_t key, GroupBy by) {
    if (by != GroupBy::opcode) return key;
    return key | uint64_t{std::hash<std::string_view>{}(row.name)} << 16;
}

}  // namespace

TurnaroundStatistics turnaround_statistics(const CaptureData::Reading& reading, const CommandIndex& index,
                                           TimeRange range, GroupBy by, const FilterResult* filter,
                                           const StopFlag& stop) {
    TurnaroundStatistics statistics;
    statistics.range = range;
    statistics.by = by;
    std::unordered_map<uint64_t, size_t> places;
    // As many bins as there are durations.
    std::vector<std::array<uint64_t, command_classes>> bins(size_t{20} *
                                                            TurnaroundStatistics::bins_per_decade);
    size_t lowest = bins.size();
    size_t highest = 0;
    const size_t first = index.first_at(range.begin_ns);
    const size_t last = index.first_at(range.end_ns);
    for (size_t i = first; i < last; ++i) {
        if (i % 4096 == 0 && stop) {
            statistics.complete = false;
            return statistics;
        }
        const CommandPoint& point = index.points()[i];
        if (filter != nullptr && !filter->rows.commands.test(point.row)) continue;
        const CommandRow& row = reading.store().commands()[point.row];
        const uint64_t bytes = row.bytes == unknown<uint64_t> || row.response_ns == no_time ? 0 : row.bytes;
        const auto count = [&](TurnaroundStatistics::Group& group) {
            ++group.count;
            if (row.ended_nobody_knows_when()) ++group.untimed;
            group.bytes += bytes;
            if (group.begin_ns == no_time) group.begin_ns = point.start_ns;
            group.end_ns = std::max(group.end_ns, row.response_ns);
            if (point.turnaround_ns != no_time) group.turnaround.add(point.turnaround_ns);
        };
        count(statistics.all);
        const uint64_t key = key_of(row, by);
        const uint64_t place_key = place_of(row, key, by);
        const auto place = places.find(place_key);
        if (place != places.end()) {
            count(statistics.groups[place->second]);
        } else if (statistics.groups.size() < most_command_groups) {
            places.emplace(place_key, statistics.groups.size());
            statistics.groups.push_back({.key = key, .name = row.name, .turnaround = {}});
            count(statistics.groups.back());
        }
        if (point.turnaround_ns == no_time) continue;
        const auto bin = std::min(
            bins.size() - 1, static_cast<size_t>(point.log_turnaround *
                                                 static_cast<float>(TurnaroundStatistics::bins_per_decade)));
        ++bins[bin][static_cast<size_t>(point.kind)];
        lowest = std::min(lowest, bin);
        highest = std::max(highest, bin);
    }
    if (lowest <= highest) {
        statistics.first_bin = static_cast<int>(lowest);
        statistics.histogram.assign(bins.begin() + static_cast<ptrdiff_t>(lowest),
                                    bins.begin() + static_cast<ptrdiff_t>(highest) + 1);
    }
    std::ranges::stable_sort(statistics.groups, std::greater(), &TurnaroundStatistics::Group::count);
    return statistics;
}

}  // namespace sanscope
