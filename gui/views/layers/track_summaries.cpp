// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/layers/track_summaries.h"

#include <algorithm>
#include <bit>

namespace sanscope {
namespace {

// The finest grid over a range with so many columns at most.
PreparedRange grid_over(TimeRange range, size_t most) {
    return PreparedRange::around({range, 0, static_cast<double>(most) / 2.5});
}

size_t rows_of(const ConnectionTrack& track) {
    return track.commands.size() + track.pdus.size() + track.senders[0].segments.size() +
           track.senders[1].segments.size();
}

}  // namespace

TrackSummaries::Summary& TrackSummaries::of(const TrackRows& rows, uint32_t connection, bool finished) {
    if (summaries_.size() > most_summaries && !summaries_.contains(connection)) {
        // Those not used lately go.
        std::erase_if(summaries_,
                      [&](const auto& entry) { return entry.second.used + most_summaries / 2 < uses_; });
    }
    Summary& summary = summaries_[connection];
    summary.used = ++uses_;
    const size_t count = rows_of(rows.track());
    if (summary.rows != count || summary.finished != finished) {
        ReachIndex reach = std::move(summary.reach);
        summary = {};
        summary.reach = std::move(reach);
        summary.rows = count;
        summary.finished = finished;
        summary.used = uses_;
        summary.columns = std::clamp<size_t>(std::bit_ceil(2 * count + 1), 256, most_columns);
        summary.grid = grid_over(rows.whole(), summary.columns);
    }
    return summary;
}

const ReachIndex& TrackSummaries::reach(Summary& summary, const TrackRows& rows) const {
    if (!summary.reach_is_new) {
        summary.reach_is_new = true;
        summary.reach.follow(rows);
        TimeRange whole = rows.whole();
        whole.end_ns = std::max(whole.end_ns, summary.reach.commands_end_ns);
        summary.commands_grid = grid_over(whole, summary.columns);
    }
    return summary.reach;
}

namespace {

TrackSummaries::Part& part_for(TrackSummaries::Summary& summary,
                               const std::shared_ptr<const FilterResult>& filter) {
    if (!filter) return summary.all;
    if (summary.filter != filter) {
        summary.passing = {};
        summary.filter = filter;
    }
    return summary.passing;
}

}  // namespace

std::vector<CommandColumn> TrackSummaries::commands(Summary& summary, const TrackRows& rows,
                                                    const PreparedRange& grid,
                                                    const std::shared_ptr<const FilterResult>& filter) const {
    Part& part = part_for(summary, filter);
    const ReachIndex& index = reach(summary, rows);
    if (grid.ns_per_column < summary.commands_grid.ns_per_column)
        return command_columns(rows, index, grid, filter.get());
    if (!part.has_commands) part.commands = command_columns(rows, index, summary.commands_grid, filter.get());
    part.has_commands = true;
    return joined(summary.commands_grid, part.commands, grid);
}

std::vector<TrafficColumn> TrackSummaries::traffic(Summary& summary, const TrackRows& rows,
                                                   const PreparedRange& grid,
                                                   const std::shared_ptr<const FilterResult>& filter) const {
    Part& part = part_for(summary, filter);
    if (grid.ns_per_column < summary.grid.ns_per_column) return traffic_columns(rows, grid, filter.get());
    if (!part.has_traffic) part.traffic = traffic_columns(rows, summary.grid, filter.get());
    part.has_traffic = true;
    return joined(summary.grid, part.traffic, grid);
}

std::vector<PduColumn> TrackSummaries::pdus(Summary& summary, const TrackRows& rows,
                                            const PreparedRange& grid,
                                            const std::shared_ptr<const FilterResult>& filter) const {
    Part& part = part_for(summary, filter);
    if (grid.ns_per_column < summary.grid.ns_per_column) return pdu_columns(rows, grid, filter.get());
    if (!part.has_pdus) part.pdus = pdu_columns(rows, summary.grid, filter.get());
    part.has_pdus = true;
    return joined(summary.grid, part.pdus, grid);
}

}  // namespace sanscope
