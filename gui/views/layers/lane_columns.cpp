// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/layers/lane_columns.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "analyzer/vocabulary/command_ending.h"

namespace sanscope {

namespace {

constexpr std::array<int64_t, slowness_classes> slowness_begins = {
    0,          100'000,    316'228,     1'000'000,   3'162'278,
    10'000'000, 31'622'777, 100'000'000, 316'227'766, 1'000'000'000};

}  // namespace

size_t slowness_class(int64_t duration_ns) {
    size_t slowness = 0;
    while (slowness + 1 < slowness_classes && duration_ns >= slowness_begins[slowness + 1]) ++slowness;
    return slowness;
}

int64_t least_of_slowness_class(size_t slowness) {
    return slowness_begins[slowness];
}

bool failed(const CommandRow& command) {
    return ended_without_answer(command.outcome) || ended_otherwise_than_good(command);
}

void CommandColumn::add(const CommandColumn& other) {
    for (size_t i = 0; i < busy_ns.size(); ++i) busy_ns[i] += other.busy_ns[i];
    most = std::max(most, other.most);
    begun += other.begun;
    bad += other.bad;
    if (other.worst_ns > worst_ns) {
        worst_ns = other.worst_ns;
        worst = other.worst;
    }
}

void TrafficColumn::add(const TrafficColumn& other) {
    for (size_t i = 0; i < 2; ++i) {
        packets[i] += other.packets[i];
        payload[i] += other.payload[i];
    }
}

void PduColumn::add(const PduColumn& other) {
    for (size_t i = 0; i < 2; ++i) {
        pdus[i] += other.pdus[i];
        bytes[i] += other.bytes[i];
    }
}

TrackRows::TrackRows(const CaptureData::Reading& reading, uint32_t connection)
    : reading_(&reading),
      track_(reading.timeline().track(connection)),
      connection_(&reading.store().connections()[connection - 1]) {}

int64_t TrackRows::time_of(PacketNumber packet) const {
    return packet == 0 || packet > reading_->index().packets() ? no_time
                                                               : reading_->timeline().time_of(packet);
}

int64_t TrackRows::known_end_of(const CommandRow& command) const {
    const int64_t end_ns = end_of(command);
    return end_ns == no_time ? std::max(capture_end_ns(), begin_of(command)) : end_ns;
}

int64_t TrackRows::end_of(const PduRow& pdu) const {
    return pdu.time_ns != no_time ? pdu.time_ns : time_of(pdu.first_packet);
}

int64_t TrackRows::begin_of(const PduRow& pdu) const {
    const int64_t first_ns = time_of(pdu.first_packet);
    const int64_t end_ns = end_of(pdu);
    return first_ns == no_time ? end_ns : std::min(first_ns, end_ns);
}

TimeRange TrackRows::whole() const {
    TimeRange whole;
    for (const SenderTrack& sender : track_->senders) {
        if (sender.segments.empty()) continue;
        const TimeRange side{time_of(sender.segments.front() + 1), time_of(sender.segments.back() + 1) + 1};
        whole = whole.empty()
                    ? side
                    : TimeRange{std::min(whole.begin_ns, side.begin_ns), std::max(whole.end_ns, side.end_ns)};
    }
    return whole;
}

TrackRows::Run TrackRows::segments_in(size_t direction, TimeRange range) const {
    const auto& segments = sender(direction).segments;
    const auto time_at = [&](uint32_t row) { return time_of(row + 1); };
    return {first_not_before(segments, range.begin_ns, time_at),
            first_not_before(segments, range.end_ns, time_at)};
}

TrackRows::Run TrackRows::pdus_completed_in(TimeRange range) const {
    const auto time_at = [&](uint32_t row) { return end_of(store().pdus()[row]); };
    return {first_not_before(track_->pdus, range.begin_ns, time_at),
            first_not_before(track_->pdus, range.end_ns, time_at)};
}

TrackRows::Run TrackRows::commands_begun_in(TimeRange range) const {
    const auto time_at = [&](uint32_t row) { return begin_of(store().commands()[row]); };
    return {first_not_before(track_->commands, range.begin_ns, time_at),
            first_not_before(track_->commands, range.end_ns, time_at)};
}

ReachIndex ReachIndex::of(const TrackRows& rows) {
    ReachIndex index;
    index.follow(rows);
    return index;
}

void ReachIndex::follow(const TrackRows& rows) {
    const ConnectionTrack& track = rows.track();
    if (commands_made_anew_ != track.commands_made_anew) *this = {};
    commands_made_anew_ = track.commands_made_anew;
    // PDUs behind one that came late have other places now; the longest of all is the same.
    pdus_taken_ = std::min(pdus_taken_, track.first_moved_pdu(pdus_moved_) / block * block);
    pdus_moved_ = track.pdus_moved();
    longest_pdus_ns.resize(std::min(longest_pdus_ns.size(), pdus_taken_ / block + 1));
    if (pdus_taken_ % block == 0 && longest_pdus_ns.size() > pdus_taken_ / block) longest_pdus_ns.pop_back();
    commands_end_ns = std::max(commands_end_ns, track.last_end_ns);
    for (const uint32_t position : track.unended)
        commands_end_ns = std::max(commands_end_ns, rows.known_end_of(rows.command(position)));
    for (; commands_taken_ < track.commands.size(); ++commands_taken_) {
        const CommandRow& command = rows.command(commands_taken_);
        if (command.turnaround_ns() == no_time && rows.end_of(command) != no_time) {
            without_turnaround.push_back(static_cast<uint32_t>(commands_taken_));
        }
    }
    longest_pdus_ns.resize((track.pdus.size() + block - 1) / block);
    for (; pdus_taken_ < track.pdus.size(); ++pdus_taken_) {
        const PduRow& pdu = rows.store().pdus()[track.pdus[pdus_taken_]];
        // Mostly it is in one packet.
        if (pdu.first_packet == pdu.last_packet && pdu.last_packet != 0) continue;
        int64_t& longest = longest_pdus_ns[pdus_taken_ / block];
        longest = std::max(longest, rows.end_of(pdu) - rows.begin_of(pdu));
        longest_pdu_ns = std::max(longest_pdu_ns, longest);
    }
}

namespace {

// Calls `visit` with positions in [first, last) that may have a value of at least `least_at(first, last)` of their stretch:
// a stretch is split up only where its greatest value reaches that.
template <class Value, class ValueAt, class LeastAt, class Visit>
void visit_reaching(const LodPyramid<Value>& pyramid, size_t first, size_t last, ValueAt value_at,
                    LeastAt least_at, Visit visit) {
    if (first >= last) return;
    const auto found = pyramid.query(first, last, value_at);
    if (!found.any || found.max < least_at(first, last)) return;
    if (last - first <= LodPyramid<Value>::fan_out) {
        for (size_t i = first; i < last; ++i) visit(i);
        return;
    }
    // Split where blocks of the pyramid begin, so that each question is cheap.
    size_t block = LodPyramid<Value>::fan_out;
    while (block * LodPyramid<Value>::fan_out < last - first) block *= LodPyramid<Value>::fan_out;
    for (size_t begin = first; begin < last;) {
        const size_t end = std::min(last, (begin / block + 1) * block);
        visit_reaching(pyramid, begin, end, value_at, least_at, visit);
        begin = end;
    }
}

}  // namespace

void commands_under_way(const TrackRows& rows, const ReachIndex& reach, TimeRange range,
                        std::vector<uint32_t>& positions) {
    positions.clear();
    const ConnectionTrack& track = rows.track();
    const TrackRows::Run begun = rows.commands_begun_in(range);
    const auto take = [&](size_t position) {
        if (rows.known_end_of(rows.command(position)) > range.begin_ns)
            positions.push_back(static_cast<uint32_t>(position));
    };
    const auto value_at = [&](size_t i) { return rows.command(i).turnaround_ns(); };
    const auto least_at = [&](size_t, size_t last) {
        return range.begin_ns - rows.begin_of(rows.command(last - 1));
    };
    visit_reaching(track.turnaround, 0, std::min(begun.first, track.turnaround.size()), value_at, least_at,
                   [&](size_t i) {
                       if (value_at(i) != no_time) take(i);
                   });
    for (const uint32_t position : reach.without_turnaround) {
        if (position >= begun.first) break;
        take(position);
    }
    for (const uint32_t position : track.unended) {
        if (position >= begun.first) break;
        if (rows.command(position).turnaround_ns() == no_time) take(position);
    }
    std::ranges::sort(positions);
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    for (size_t i = begun.first; i < begun.last; ++i) positions.push_back(static_cast<uint32_t>(i));
}

void pdus_under_way(const TrackRows& rows, const ReachIndex& reach, TimeRange range,
                    std::vector<uint32_t>& positions) {
    positions.clear();
    const auto& pdus = rows.track().pdus;
    const TrackRows::Run completed = rows.pdus_completed_in(range);
    for (size_t i = completed.first; i < completed.last; ++i) positions.push_back(static_cast<uint32_t>(i));
    const auto pdu = [&](size_t i) { return rows.store().pdus()[pdus[i]]; };
    // Of those that complete later, in blocks: none reaches back further than the longest of its block.
    for (size_t i = completed.last; i < pdus.size();) {
        const size_t behind = std::min(pdus.size(), (i / ReachIndex::block + 1) * ReachIndex::block);
        const int64_t later_ns = rows.end_of(pdu(i)) - range.end_ns;
        if (later_ns >= reach.longest_pdu_ns || i / ReachIndex::block >= reach.longest_pdus_ns.size()) break;
        for (; i < behind && later_ns < reach.longest_pdus_ns[i / ReachIndex::block]; ++i) {
            if (rows.begin_of(pdu(i)) < range.end_ns) positions.push_back(static_cast<uint32_t>(i));
        }
        i = behind;
    }
}

namespace {

struct Span {
    int64_t begin_ns;
    int64_t end_ns;  // > begin_ns
    int64_t length_ns;
    uint32_t row;
};

}  // namespace

std::vector<CommandColumn> command_columns(const TrackRows& rows, const ReachIndex& reach,
                                           const PreparedRange& grid, const FilterResult* filter) {
    std::vector<CommandColumn> columns(grid.columns());
    if (columns.empty()) return columns;
    std::vector<uint32_t> positions;
    commands_under_way(rows, reach, grid.range, positions);
    const auto column_of = [&](int64_t time_ns) {
        return static_cast<size_t>((time_ns - grid.range.begin_ns) / grid.ns_per_column);
    };
    // What covers columns from one edge to the other is summed up at the end, from where it begins to where it no longer does.
    std::vector<std::array<int32_t, slowness_classes>> covering(columns.size() + 1);
    std::vector<int32_t> at_begin(columns.size() + 1);
    std::vector<std::pair<Span, size_t>> longs;  // and the last column of each
    std::priority_queue<int64_t, std::vector<int64_t>, std::greater<>> ends;
    constexpr size_t short_span = 8;
    for (const uint32_t position : positions) {
        const uint32_t row = rows.track().commands[position];
        if (filter != nullptr && !filter->rows.commands.test(row)) continue;
        const CommandRow& command = rows.command(position);
        const int64_t begin_ns = rows.begin_of(command);
        const int64_t end_ns = std::max(rows.known_end_of(command), begin_ns + 1);
        if (!grid.range.overlaps({begin_ns, end_ns})) continue;
        const Span span{std::max(begin_ns, grid.range.begin_ns), std::min(end_ns, grid.range.end_ns),
                        end_ns - begin_ns, row};
        const size_t first = column_of(span.begin_ns);
        const size_t last = column_of(span.end_ns - 1);
        const size_t kind = slowness_class(end_ns - begin_ns);
        if (first == last) {
            columns[first].busy_ns[kind] += span.end_ns - span.begin_ns;
        } else {
            columns[first].busy_ns[kind] += grid.column(first).end_ns - span.begin_ns;
            columns[last].busy_ns[kind] += span.end_ns - grid.column(last).begin_ns;
            ++covering[first + 1][kind];
            --covering[last][kind];
        }
        // At the edges between columns, and wherever one begins.
        ++at_begin[first + 1];
        --at_begin[last + 1];
        while (!ends.empty() && ends.top() <= span.begin_ns) ends.pop();
        ends.push(span.end_ns);
        columns[first].most = std::max(columns[first].most, static_cast<uint32_t>(ends.size()));
        if (begin_ns >= grid.range.begin_ns) ++columns[first].begun;
        if (failed(command) && end_ns <= grid.range.end_ns) ++columns[last].bad;
        if (last - first < short_span) {
            CommandColumn mine;
            mine.worst_ns = span.length_ns;
            mine.worst = row;
            for (size_t i = first; i <= last; ++i) {
                if (mine.worst_ns > columns[i].worst_ns) {
                    columns[i].worst_ns = mine.worst_ns;
                    columns[i].worst = row;
                }
            }
        } else {
            longs.emplace_back(span, last);
        }
    }
    // Of long ones the longest goes on until it ends.
    const auto shorter = [](const std::pair<Span, size_t>& a, const std::pair<Span, size_t>& b) {
        return a.first.length_ns < b.first.length_ns;
    };
    std::priority_queue<std::pair<Span, size_t>, std::vector<std::pair<Span, size_t>>, decltype(shorter)>
        going(shorter);
    std::array<int64_t, slowness_classes> across{};
    int64_t under_way = 0;
    size_t next = 0;
    for (size_t i = 0; i < columns.size(); ++i) {
        under_way += at_begin[i];
        columns[i].most = std::max(columns[i].most, static_cast<uint32_t>(std::max<int64_t>(0, under_way)));
        for (size_t kind = 0; kind < across.size(); ++kind) {
            across[kind] += covering[i][kind];
            columns[i].busy_ns[kind] += across[kind] * grid.ns_per_column;
        }
        while (next < longs.size() && column_of(longs[next].first.begin_ns) <= i) going.push(longs[next++]);
        while (!going.empty() && going.top().second < i) going.pop();
        if (!going.empty() && going.top().first.length_ns > columns[i].worst_ns) {
            columns[i].worst_ns = going.top().first.length_ns;
            columns[i].worst = going.top().first.row;
        }
    }
    return columns;
}

std::vector<TrafficColumn> traffic_columns(const TrackRows& rows, const PreparedRange& grid,
                                           const FilterResult* filter) {
    std::vector<TrafficColumn> columns(grid.columns());
    for (size_t direction = 0; direction < 2; ++direction) {
        const auto& segments = rows.sender(direction).segments;
        const TrackRows::Run run = rows.segments_in(direction, grid.range);
        for (size_t i = run.first; i < run.last; ++i) {
            const uint32_t row = segments[i];
            if (filter != nullptr && !filter->rows.packets.test(row)) continue;
            const int64_t time_ns = rows.time_of(row + 1);
            if (!grid.range.contains(time_ns)) continue;
            TrafficColumn& column =
                columns[static_cast<size_t>((time_ns - grid.range.begin_ns) / grid.ns_per_column)];
            ++column.packets[direction];
            column.payload[direction] += rows.store().segments().get<&SegmentRow::payload_length>(row);
        }
    }
    return columns;
}

std::vector<PduColumn> pdu_columns(const TrackRows& rows, const PreparedRange& grid,
                                   const FilterResult* filter) {
    std::vector<PduColumn> columns(grid.columns());
    const TrackRows::Run run = rows.pdus_completed_in(grid.range);
    for (size_t i = run.first; i < run.last; ++i) {
        const uint32_t row = rows.track().pdus[i];
        if (filter != nullptr && !filter->rows.pdus.test(row)) continue;
        const PduRow& pdu = rows.store().pdus()[row];
        const int64_t time_ns = rows.end_of(pdu);
        if (!grid.range.contains(time_ns)) continue;
        PduColumn& column =
            columns[static_cast<size_t>((time_ns - grid.range.begin_ns) / grid.ns_per_column)];
        const size_t direction = index_of(pdu.sender);
        ++column.pdus[direction];
        column.bytes[direction] += pdu.data_length;
    }
    return columns;
}

}  // namespace sanscope
