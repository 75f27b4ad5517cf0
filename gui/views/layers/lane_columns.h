// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gui/document/capture_data.h"
#include "gui/document/filter_result.h"
#include "gui/plot/time_viewport.h"

namespace sanscope {

// What a lane shows where its rows are too many to be drawn one by one: figures by column of a grid of time. Directions: 0 out
// (initiator to target), 1 in.

// Commands by how long they took, in half decades: below 100 us, 316 us, 1 ms, ... 1 s, and beyond.
constexpr size_t slowness_classes = 10;
size_t slowness_class(int64_t duration_ns);
// What the class begins with; 0 for the first.
int64_t least_of_slowness_class(size_t slowness);

// It ended, but not with GOOD.
bool failed(const CommandRow& command);

struct CommandColumn {
    // By slowness_class() of the whole command: the sum of the times that such were under way in the column.
    std::array<int64_t, slowness_classes> busy_ns{};
    uint32_t most = 0;  // at once
    uint32_t begun = 0;
    uint32_t bad = 0;  // failed, of those that ended in the column
    int64_t worst_ns =
        no_time;         // the longest of a command under way; of one that never ended until the last packet
    uint32_t worst = 0;  // its row

    void add(const CommandColumn& other);
    bool operator==(const CommandColumn&) const = default;
};

struct TrafficColumn {
    std::array<uint32_t, 2> packets{};
    std::array<uint64_t, 2> payload{};  // bytes

    void add(const TrafficColumn& other);
    bool operator==(const TrafficColumn&) const = default;
};

struct PduColumn {
    std::array<uint32_t, 2> pdus{};   // that completed, or of which no more is known
    std::array<uint64_t, 2> bytes{};  // of data, of these

    void add(const PduColumn& other);
    bool operator==(const PduColumn&) const = default;
};

// The columns of `grid`, joined from those of a finer one; both widths are powers of two, both grids multiples of them.
template <class Column>
std::vector<Column> joined(const PreparedRange& fine, const std::vector<Column>& columns,
                           const PreparedRange& grid) {
    std::vector<Column> joined(grid.columns());
    for (size_t i = 0; i < columns.size(); ++i) {
        const int64_t at = fine.column(i).begin_ns;
        if (!grid.range.contains(at)) continue;
        joined[static_cast<size_t>((at - grid.range.begin_ns) / grid.ns_per_column)].add(columns[i]);
    }
    return joined;
}

// A view of one connection's rows in order of time; good as long as the reading.
class TrackRows {
  public:
    // The connection must have a track.
    TrackRows(const CaptureData::Reading& reading, uint32_t connection);

    const ConnectionTrack& track() const { return *track_; }
    const ConnectionRow& connection() const { return *connection_; }
    const ResultStore& store() const { return reading_->store(); }
    int64_t time_of(PacketNumber packet) const;  // no_time for a number that is none
    const CommandRow& command(size_t position) const {
        return store().commands()[track_->commands[position]];
    }
    int64_t begin_of(const CommandRow& command) const { return Timeline::start_of(command); }
    int64_t end_of(const CommandRow& command) const { return reading_->timeline().end_of(command); }
    // Where a command is known to have lasted to, one that never ended to the last packet.
    int64_t known_end_of(const CommandRow& command) const;
    int64_t end_of(const PduRow& pdu) const;
    int64_t begin_of(const PduRow& pdu) const;
    size_t direction_of(Side side) const { return index_of(connection_->role_of(side)); }
    const SenderTrack& sender(size_t direction) const {
        return track_->sender(connection_->side_of(static_cast<Role>(direction)));
    }
    // [first packet, last packet]; empty without any.
    TimeRange whole() const;
    int64_t capture_end_ns() const { return reading_->timeline().last_ns() + 1; }

    // Positions in sender(direction).segments, track().pdus, track().commands of what lies in the range.
    struct Run {
        size_t first = 0;
        size_t last = 0;
        size_t size() const { return last - first; }
    };
    Run segments_in(size_t direction, TimeRange range) const;
    Run pdus_completed_in(TimeRange range) const;
    Run commands_begun_in(TimeRange range) const;

  private:
    const CaptureData::Reading* reading_;
    const ConnectionTrack* track_;
    const ConnectionRow* connection_;
};

// What it takes to find rows that reach into a range from outside of it; made in one pass over a connection's rows, and brought
// up to date with those that came since.
struct ReachIndex {
    std::vector<uint32_t> without_turnaround;  // positions of commands that ended, yet have none
    static constexpr size_t block = 256;
    std::vector<int64_t> longest_pdus_ns;  // of each so many PDUs of the track
    int64_t longest_pdu_ns = 0;            // of all
    int64_t commands_end_ns = no_time;     // when the last of them is known to end

    static ReachIndex of(const TrackRows& rows);
    void follow(const TrackRows& rows);

  private:
    size_t commands_taken_ = 0;
    size_t pdus_taken_ = 0;
    uint32_t commands_made_anew_ = 0;  // as of the track, as is the next
    uint32_t pdus_moved_ = 0;
};

// Positions of the commands under way at some time in the range, in order of their beginning.
void commands_under_way(const TrackRows& rows, const ReachIndex& reach, TimeRange range,
                        std::vector<uint32_t>& positions);
// Positions of the PDUs of which some packet may lie in the range, in order of completion.
void pdus_under_way(const TrackRows& rows, const ReachIndex& reach, TimeRange range,
                    std::vector<uint32_t>& positions);

// Columns of a grid, counted row by row. `filter`: only of rows that pass; nullptr: of all. Time: nanoseconds a row in the range,
// and a few a column.
std::vector<CommandColumn> command_columns(const TrackRows& rows, const ReachIndex& reach,
                                           const PreparedRange& grid, const FilterResult* filter);
std::vector<TrafficColumn> traffic_columns(const TrackRows& rows, const PreparedRange& grid,
                                           const FilterResult* filter);
std::vector<PduColumn> pdu_columns(const TrackRows& rows, const PreparedRange& grid,
                                   const FilterResult* filter);

}  // namespace sanscope
