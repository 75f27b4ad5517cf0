// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/layers/lanes/group_preparation.h"

#include <algorithm>

namespace sanscope {

GroupPreparation::GroupPreparation(const CaptureData::Reading& reading, TrackSummaries& summaries,
                                   const GroupRequest& request, const PreparedRange& prepared,
                                   const SelectedThings& selected,
                                   const std::shared_ptr<const FilterResult>& filter)
    : reading_(reading),
      rows_(reading, request.connection),
      summaries_(summaries),
      summary_(summaries.of(rows_, request.connection, reading.timeline().finished())),
      request_(request),
      prepared_(prepared),
      selected_(selected),
      filter_(filter) {
    picture_.connection = request.connection;
    picture_.expanded = request.expanded;
}

void GroupPreparation::add_command_columns() {
    picture_.command_columns = summaries_.commands(summary_, rows_, prepared_, nullptr);
    if (filter_) picture_.passing_command_columns = summaries_.commands(summary_, rows_, prepared_, filter_);
}

void GroupPreparation::add_pdu_columns() {
    picture_.pdu_columns = summaries_.pdus(summary_, rows_, prepared_, nullptr);
    if (filter_) picture_.passing_pdu_columns = summaries_.pdus(summary_, rows_, prepared_, filter_);
}

void GroupPreparation::add_traffic_columns() {
    picture_.traffic = summaries_.traffic(summary_, rows_, prepared_, nullptr);
    if (filter_) picture_.passing_traffic = summaries_.traffic(summary_, rows_, prepared_, filter_);
}

bool GroupPreparation::few(size_t items, size_t lines) const {
    return items <= std::min(most_items, std::max<size_t>(200, prepared_.columns() * lines / 4));
}

bool GroupPreparation::wide(int64_t begin_ns, int64_t end_ns) const {
    constexpr int64_t columns_of_label = 30;
    return (end_ns - begin_ns) / prepared_.ns_per_column >= columns_of_label;
}

bool GroupPreparation::wide_enough_for_parts(int64_t begin_ns, int64_t end_ns) const {
    return (end_ns - begin_ns) / prepared_.ns_per_column >= least_parts_width;
}

}  // namespace sanscope
