// SPDX-License-Identifier: GPL-3.0-or-later
#include "analyzer/points/points_tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "analyzer/tables/column.h"

namespace sanscope {
namespace {

using namespace column;

constexpr std::array<std::string_view, copy_verdicts> verdict_names{
    "lost_between", "lost_beyond", "not_captured_before", "not_captured_behind", "unclear"};

template <Way way>
const WayResult& result_of(const PointRow& row) {
    return row.at->ways[index_of(way)];
}

// How many ranges the capture of one of the two points lacks, whichever of them the sender is nearer to.
template <Way way, bool at_b>
void not_captured(const PointRow& row, const CellContext&, Cell& cell) {
    if (!row.at->order_known) return cell.set_empty();
    const bool a_before = (way == Way::out) != row.at->contrary;
    const bool before = a_before != at_b;
    cell.set(result_of<way>(row).count(before ? CopyVerdict::not_captured_before
                                              : CopyVerdict::not_captured_behind));
}

template <Way way, CopyVerdict verdict>
void fate_count(const PointRow& row, const CellContext&, Cell& cell) {
    if (!row.at->order_known) return cell.set_empty();
    cell.set(result_of<way>(row).count(verdict));
}

template <Way way, auto member>
void way_count(const PointRow& row, const CellContext&, Cell& cell) {
    cell.set(uint64_t{result_of<way>(row).*member});
}

template <Way way>
void way_reordered(const PointRow& row, const CellContext&, Cell& cell) {
    if (!row.at->order_known) return cell.set_empty();
    cell.set(result_of<way>(row).reordered);
}

// Of the bytes that the point with fewer of them saw.
template <Way way>
void matched(const PointRow& row, const CellContext&, Cell& cell) {
    const WayResult& result = result_of<way>(row);
    const uint64_t fewer = std::min(result.bytes_before, result.bytes_behind);
    if (fewer == 0) return cell.set_empty();
    cell.set(result.bytes_shared * 1000 / fewer);
}

void set_time(Cell& cell, int64_t time) {
    if (time == no_time) return cell.set_empty();
    cell.set(time);
}

template <Way way, auto member, bool high>
void delay(const PointRow& row, const CellContext&, Cell& cell) {
    const TimeBand& band = result_of<way>(row).delay.*member;
    if (!band.bounded()) return cell.set_empty();
    set_time(cell, high ? band.high_ns : band.low_ns);
}

template <bool high>
void offset(const PointRow& row, const CellContext&, Cell& cell) {
    set_time(cell, high ? row.at->offset.high_ns : row.at->offset.low_ns);
}

template <bool high>
void skew(const PointRow& row, const CellContext&, Cell& cell) {
    const ClockStretch* stretch = row.pair->clock.showing(row.at->middle_ns);
    if (stretch == nullptr || !stretch->skew().known) return cell.set_empty();
    cell.set(static_cast<int64_t>(
        std::llround((high ? stretch->skew().high_ppm : stretch->skew().low_ppm) * 1000)));
}

template <class Row, bool b>
void point(const Row& row, const CellContext&, Cell& cell) {
    cell.set(std::string_view(row.path->points[b ? row.pair->b : row.pair->a]->name()));
}

constexpr Column<PointRow> columns[] = {
    {"connection", unsigned_column, "Number of the TCP connection among those that two points saw",
     count<&PointRow::connection>},
    {"initiator", text_column, "Address and port of the initiator, as `point` shows them",
     [](const PointRow& row, const CellContext&, Cell& cell) { set_endpoint(cell, row.at->initiator); }},
    {"target", text_column, "Address and port of the target",
     [](const PointRow& row, const CellContext&, Cell& cell) { set_endpoint(cell, row.at->target); }},
    {"point", text_column, "The capture nearer to the initiators", point<PointRow, false>},
    {"other_point", text_column, "The next one along the path", point<PointRow, true>},
    {"order_known", boolean_column,
     "Packets tell which of the two points they pass first; without, nothing is judged",
     [](const PointRow& row, const CellContext&, Cell& cell) { cell.set(row.at->order_known); }},
    {"translated", boolean_column, "Addresses or ports are others at the other point",
     [](const PointRow& row, const CellContext&, Cell& cell) { cell.set(row.at->translated); }},
    {"clock_offset_low_ns", integer_column,
     "The other point's clock less this one's in the middle of the connection, at least, nanoseconds",
     offset<false>},
    {"clock_offset_high_ns", integer_column, "… at most", offset<true>},
    {"clock_skew_low_ppb", integer_column,
     "By how much the other clock is faster, at least, parts in 10^9; empty where too little is seen to tell",
     skew<false>},
    {"clock_skew_high_ppb", integer_column, "… at most", skew<true>},
    {"clock_steps", unsigned_column, "Times that one of the clocks was stepped against the other",
     [](const PointRow& row, const CellContext&, Cell& cell) {
         cell.set(static_cast<uint64_t>(std::ranges::count_if(row.pair->clock.steps, &ClockStep::certain)));
     }},
    {"segments_out", unsigned_column,
     "Segments with payload from the initiator to the target, at the point nearer to the sender",
     way_count<Way::out, &WayResult::segments_before>},
    {"matched_permille_out", unsigned_column,
     "Of their bytes at the point that saw fewer, thousandths found at both", matched<Way::out>},
    {"lost_out", unsigned_column, "Ranges of bytes lost between the points",
     fate_count<Way::out, CopyVerdict::lost_between>},
    {"lost_beyond_out", unsigned_column, "Ranges that both saw and the receiver did not get",
     fate_count<Way::out, CopyVerdict::lost_beyond>},
    {"not_captured_point_out", unsigned_column, "Ranges that `point` did not capture, although they came by",
     not_captured<Way::out, false>},
    {"not_captured_other_point_out", unsigned_column,
     "Ranges that `other_point` did not capture, although they came by", not_captured<Way::out, true>},
    {"unclear_out", unsigned_column,
     "Ranges seen at one point only, or sent again, of which nothing tells what became",
     fate_count<Way::out, CopyVerdict::unclear>},
    {"reordered_out", unsigned_column, "Segments that were overtaken between the points",
     way_reordered<Way::out>},
    {"delay_min_low_out_ns", integer_column, "The shortest time between the points, at least, nanoseconds",
     delay<Way::out, &DelayFigures::least, false>},
    {"delay_min_high_out_ns", integer_column, "… at most", delay<Way::out, &DelayFigures::least, true>},
    {"delay_p50_low_out_ns", integer_column, "Half were not longer on their way, at least, nanoseconds",
     delay<Way::out, &DelayFigures::p50, false>},
    {"delay_p50_high_out_ns", integer_column, "… at most", delay<Way::out, &DelayFigures::p50, true>},
    {"delay_p99_low_out_ns", integer_column, "99 of 100 were not longer on their way, at least, nanoseconds",
     delay<Way::out, &DelayFigures::p99, false>},
    {"delay_p99_high_out_ns", integer_column, "… at most", delay<Way::out, &DelayFigures::p99, true>},
    {"delay_max_low_out_ns", integer_column, "The longest time between the points, at least, nanoseconds",
     delay<Way::out, &DelayFigures::most, false>},
    {"delay_max_high_out_ns", integer_column, "… at most", delay<Way::out, &DelayFigures::most, true>},
    {"queues_p50_low_out_ns", integer_column,
     "delay_p50 less delay_min, at least: only the clocks' skew weighs on it; empty where a clock was "
     "stepped",
     delay<Way::out, &DelayFigures::p50_in_queues, false>},
    {"queues_p50_high_out_ns", integer_column, "… at most",
     delay<Way::out, &DelayFigures::p50_in_queues, true>},
    {"queues_p99_low_out_ns", integer_column,
     "delay_p99 less delay_min, at least: only the clocks' skew weighs on it; empty where a clock was "
     "stepped",
     delay<Way::out, &DelayFigures::p99_in_queues, false>},
    {"queues_p99_high_out_ns", integer_column, "… at most",
     delay<Way::out, &DelayFigures::p99_in_queues, true>},
    {"segments_in", unsigned_column,
     "Segments with payload from the target to the initiator, at the point nearer to the sender",
     way_count<Way::in, &WayResult::segments_before>},
    {"matched_permille_in", unsigned_column,
     "Of their bytes at the point that saw fewer, thousandths found at both", matched<Way::in>},
    {"lost_in", unsigned_column, "Ranges of bytes lost between the points",
     fate_count<Way::in, CopyVerdict::lost_between>},
    {"lost_beyond_in", unsigned_column, "Ranges that both saw and the receiver did not get",
     fate_count<Way::in, CopyVerdict::lost_beyond>},
    {"not_captured_point_in", unsigned_column, "Ranges that `point` did not capture, although they came by",
     not_captured<Way::in, false>},
    {"not_captured_other_point_in", unsigned_column,
     "Ranges that `other_point` did not capture, although they came by", not_captured<Way::in, true>},
    {"unclear_in", unsigned_column,
     "Ranges seen at one point only, or sent again, of which nothing tells what became",
     fate_count<Way::in, CopyVerdict::unclear>},
    {"reordered_in", unsigned_column, "Segments that were overtaken between the points",
     way_reordered<Way::in>},
    {"delay_min_low_in_ns", integer_column, "The shortest time between the points, at least, nanoseconds",
     delay<Way::in, &DelayFigures::least, false>},
    {"delay_min_high_in_ns", integer_column, "… at most", delay<Way::in, &DelayFigures::least, true>},
    {"delay_p50_low_in_ns", integer_column, "Half were not longer on their way, at least, nanoseconds",
     delay<Way::in, &DelayFigures::p50, false>},
    {"delay_p50_high_in_ns", integer_column, "… at most", delay<Way::in, &DelayFigures::p50, true>},
    {"delay_p99_low_in_ns", integer_column, "99 of 100 were not longer on their way, at least, nanoseconds",
     delay<Way::in, &DelayFigures::p99, false>},
    {"delay_p99_high_in_ns", integer_column, "… at most", delay<Way::in, &DelayFigures::p99, true>},
    {"delay_max_low_in_ns", integer_column, "The longest time between the points, at least, nanoseconds",
     delay<Way::in, &DelayFigures::most, false>},
    {"delay_max_high_in_ns", integer_column, "… at most", delay<Way::in, &DelayFigures::most, true>},
    {"queues_p50_low_in_ns", integer_column,
     "delay_p50 less delay_min, at least: only the clocks' skew weighs on it; empty where a clock was "
     "stepped",
     delay<Way::in, &DelayFigures::p50_in_queues, false>},
    {"queues_p50_high_in_ns", integer_column, "… at most",
     delay<Way::in, &DelayFigures::p50_in_queues, true>},
    {"queues_p99_low_in_ns", integer_column,
     "delay_p99 less delay_min, at least: only the clocks' skew weighs on it; empty where a clock was "
     "stepped",
     delay<Way::in, &DelayFigures::p99_in_queues, false>},
    {"queues_p99_high_in_ns", integer_column, "… at most",
     delay<Way::in, &DelayFigures::p99_in_queues, true>},
};
constexpr auto infos = column_infos(columns);

constexpr Column<PointLossRow> loss_columns[] = {
    {"connection", unsigned_column, "As in `points`", count<&PointLossRow::connection>},
    {"point", text_column, "The capture nearer to the initiators", point<PointLossRow, false>},
    {"other_point", text_column, "The next one along the path", point<PointLossRow, true>},
    {"sender", text_column, "Address and port of the sender, as `point` shows them",
     [](const PointLossRow& row, const CellContext&, Cell& cell) {
         set_endpoint(cell, row.way == Way::out ? row.at->initiator : row.at->target);
     }},
    {"seen_at", text_column, "The capture that `packet` and `time_ns` are of",
     [](const PointLossRow& row, const CellContext&, Cell& cell) {
         cell.set(std::string_view(row.path->points[row.fate->at_b ? row.pair->b : row.pair->a]->name()));
     }},
    {"packet", unsigned_column, "Packet that carried the bytes there",
     [](const PointLossRow& row, const CellContext&, Cell& cell) { cell.set(row.fate->packet); }},
    {"time_ns", integer_column, "Its moment by that capture's clock, nanoseconds since the epoch",
     [](const PointLossRow& row, const CellContext&, Cell& cell) { cell.set(row.fate->time_ns); }},
    {"seq", unsigned_column, "Sequence number of the first of the bytes, as in the headers",
     [](const PointLossRow& row, const CellContext&, Cell& cell) { cell.set(uint64_t{row.fate->seq}); }},
    {"length", unsigned_column, "How many bytes",
     [](const PointLossRow& row, const CellContext&, Cell& cell) { cell.set(uint64_t{row.fate->length}); }},
    {"verdict", text_column,
     "lost_between the points; lost_beyond both; not_captured_before, by the point nearer to the sender; "
     "not_captured_behind, by the other one; unclear",
     [](const PointLossRow& row, const CellContext&, Cell& cell) {
         cell.set(verdict_name(row.fate->verdict));
     }},
};
constexpr auto loss_infos = column_infos(loss_columns);

}  // namespace

const TableInfo points_table = {
    "points", "With --points: a TCP connection between two neighbouring points of its path; one row each",
    infos, ResultStore::Keep::nothing(), nullptr};
const TableInfo point_losses_table = {
    "point_losses",
    "With --points: what became of bytes that only one of two points saw, or that were sent "
    "again; one row a range",
    loss_infos, ResultStore::Keep::nothing(), nullptr};

std::span<const TableInfo* const> point_tables() {
    static constexpr const TableInfo* tables[] = {&points_table, &point_losses_table, &point_commands_table,
                                                  &point_senders_table};
    return tables;
}

std::string_view verdict_name(CopyVerdict verdict) {
    return verdict_names[static_cast<size_t>(verdict)];
}

std::vector<std::vector<uint32_t>> connection_numbers(const PathPoints& path) {
    std::vector<std::vector<uint32_t>> numbers;
    uint32_t last = 0;
    std::map<size_t, uint32_t> at_a;  // by connection at the pair's first point
    for (const PointPair& pair : path.pairs) {
        std::map<size_t, uint32_t> at_b;
        std::vector<uint32_t>& of_pair = numbers.emplace_back();
        for (const ConnectionAtPoints& connection : pair.connections) {
            const auto known = at_a.find(connection.connection_a);
            const uint32_t number = known == at_a.end() ? ++last : known->second;
            of_pair.push_back(number);
            at_b[connection.connection_b] = number;
        }
        at_a = std::move(at_b);
    }
    return numbers;
}

void append_point_rows(const PathPoints& path, ChunkedRows<PointRow>& rows) {
    const auto numbers = connection_numbers(path);
    for (size_t p = 0; p < path.pairs.size(); ++p) {
        const PointPair& pair = path.pairs[p];
        for (size_t c = 0; c < pair.connections.size(); ++c)
            rows.append(PointRow{numbers[p][c], &path, &pair, &pair.connections[c]});
    }
}

void append_point_loss_rows(const PathPoints& path, ChunkedRows<PointLossRow>& rows) {
    const auto numbers = connection_numbers(path);
    for (size_t p = 0; p < path.pairs.size(); ++p) {
        const PointPair& pair = path.pairs[p];
        for (size_t c = 0; c < pair.connections.size(); ++c) {
            const ConnectionAtPoints& at = pair.connections[c];
            for (const Way way : {Way::out, Way::in}) {
                for (const CopyFate& fate : at.ways[index_of(way)].fates)
                    rows.append(PointLossRow{numbers[p][c], &path, &pair, &at, &fate, way});
            }
        }
    }
}

std::unique_ptr<Table> make_points_table(const ChunkedRows<PointRow>& rows) {
    return std::make_unique<RowsTable<PointRow>>(points_table, columns, rows);
}

std::unique_ptr<Table> make_point_losses_table(const ChunkedRows<PointLossRow>& rows) {
    return std::make_unique<RowsTable<PointLossRow>>(point_losses_table, loss_columns, rows);
}

}  // namespace sanscope
