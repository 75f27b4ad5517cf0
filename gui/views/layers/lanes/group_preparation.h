// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/views/layers/layers_picture.h"

namespace sanscope {

constexpr size_t most_items = 6000;  // of a lane, drawn one by one
constexpr size_t most_selected = 4096;
constexpr int least_parts_width = 24;  // pixels of a command that shows where its time went

// What lanes draw a group up from, and into. On a worker, good as long as the reading.
class GroupPreparation {
  public:
    GroupPreparation(const CaptureData::Reading& reading, TrackSummaries& summaries,
                     const GroupRequest& request, const PreparedRange& prepared,
                     const SelectedThings& selected, const std::shared_ptr<const FilterResult>& filter);

    const CaptureData::Reading& reading() const { return reading_; }
    const TrackRows& rows() const { return rows_; }
    const GroupRequest& request() const { return request_; }
    const PreparedRange& prepared() const { return prepared_; }
    const TimeRange& range() const { return prepared_.range; }
    const SelectedThings& selected() const { return selected_; }
    bool selected_here() const { return selected_.connection == request_.connection; }
    const FilterResult* filter() const { return filter_.get(); }
    GroupPicture& picture() { return picture_; }

    const ReachIndex& reach() { return summaries_.reach(summary_, rows_); }
    // Columns of what is in the range, of what passes the filter alone: nothing without one.
    void add_command_columns();
    void add_pdu_columns();
    void add_traffic_columns();

    // So few that each is drawn by itself, over that many lines.
    bool few(size_t items, size_t lines) const;
    // Wide enough for a label.
    bool wide(int64_t begin_ns, int64_t end_ns) const;
    // Wide enough for the parts of its time.
    bool wide_enough_for_parts(int64_t begin_ns, int64_t end_ns) const;

  private:
    const CaptureData::Reading& reading_;
    TrackRows rows_;
    TrackSummaries& summaries_;
    TrackSummaries::Summary& summary_;
    const GroupRequest& request_;
    const PreparedRange& prepared_;
    const SelectedThings& selected_;
    const std::shared_ptr<const FilterResult>& filter_;
    GroupPicture picture_;
};

}  // namespace sanscope
