// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/io_graph/graph_picture.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "gui/models/table_access.h"
#include "gui/models/table_kinds.h"
#include "gui/views/io_graph/graph_words.h"

#include "analyzer/query/column_meaning.h"

namespace sanscope {
namespace {

constexpr double pixels_of_interval = 6;
constexpr size_t blocks_at_once = 16;  // before the loader may go on
// So many of the last rows of a capture that grows may yet change places.
constexpr size_t unsettled_rows = size_t{16} * BlockTimes::rows;

QString translated(const char* text) {
    return QCoreApplication::translate("IoGraph", text);
}

// The least of 1, 2, 5 times a power of ten that is not below.
int64_t round_length(double wanted_ns) {
    int64_t decade = 1;
    constexpr int64_t longest = 1'000'000'000'000'000'000;
    while (decade < longest) {
        for (const int64_t factor : {1, 2, 5}) {
            if (static_cast<double>(factor * decade) >= wanted_ns) return factor * decade;
        }
        decade *= 10;
    }
    return longest;
}

// The rows of a capture, loaded or not.
class CaptureRows final : public GraphRows {
  public:
    CaptureRows(const CaptureData& data, BlockTimes& times, const FilterResult* filter)
        : data_(data), times_(times), filter_(filter) {}

    std::span<const ColumnInfo> columns(std::string_view table) const override {
        return columns_of_table(table);
    }

    void walk(const Wanted& wanted, const StopFlag& stop, const Visit& visit) const override {
        for (size_t block = 0; !stop; block += blocks_at_once) {
            const bool complete = data_.complete();
            const auto reading = data_.read();
            const auto table = make_table(reading, wanted.table);
            if (block * BlockTimes::rows >= table->rows()) return;
            Block part{
                *table, 0, 0, std::nullopt, passing(wanted.table, *table), [&reading](uint64_t packet) {
                    const bool is_one = packet > 0 && packet <= reading.index().packets();
                    return is_one ? reading.timeline().time_of(packet) : no_time;
                }};
            for (size_t i = block; i < block + blocks_at_once && !stop; ++i) {
                part.first = i * BlockTimes::rows;
                part.last = std::min(table->rows(), part.first + BlockTimes::rows);
                if (part.first >= part.last) break;
                const size_t behind = complete ? 0 : unsettled_rows;
                part.settled.reset();
                if (part.first + BlockTimes::rows + behind <= table->rows()) {
                    const Nearness found = nearness(wanted, i, part, complete);
                    if (found == Nearness::elsewhere) continue;
                    if (found == Nearness::near) part.settled = i;
                }
                visit(part);
            }
        }
    }

  private:
    enum class Nearness : uint8_t { elsewhere, near, not_known };

    // Whether rows of the block may be in the range; not known while some have no time yet. Its rows are not more to come.
    Nearness nearness(const Wanted& wanted, size_t block, const Block& part, bool complete) const {
        Nearness found = Nearness::elsewhere;
        for (const std::string_view time : wanted.times) {
            auto extent = times_.find(wanted.table, time, block);
            if (!extent) extent = measure(wanted.table, time, block, part, complete);
            if (!extent) return Nearness::not_known;
            if (extent->overlaps(wanted.range)) found = Nearness::near;
        }
        return found;
    }

    // Nothing while rows have no time that may yet get one.
    std::optional<BlockTimes::Extent> measure(std::string_view name, std::string_view time, size_t block,
                                              const Block& part, bool complete) const {
        const auto columns = part.table.columns();
        const auto column = find_column(columns, time);
        if (!column) return std::nullopt;
        const bool by_packet = meaning_of(columns[*column]) != Meaning::moment;
        BlockTimes::Extent extent;
        Cell cell;
        for (size_t row = part.first; row < part.last; ++row) {
            part.table.cell(row, *column, cell);
            if (cell.kind == Cell::Kind::empty) {
                if (!complete) return std::nullopt;
                continue;
            }
            extent.add(by_packet ? part.packet_time(cell.unsigned_integer) : cell.integer);
        }
        times_.keep(name, time, block, extent);
        return extent;
    }

    std::function<bool(size_t)> passing(std::string_view name, const Table& table) const {
        const TableKind* const kind = find_table_kind(name);
        if (filter_ == nullptr || kind == nullptr) return {};
        if (kind->linked != nullptr)
            return [&rows = filter_->rows.*kind->linked](size_t row) { return rows.test(row); };
        const auto column = find_column(table.columns(), "packet");
        if (!column) return {};
        return [&table, &packets = filter_->rows.packets, column = *column](size_t row) {
            Cell cell;
            table.cell(row, column, cell);
            return cell.kind != Cell::Kind::empty && packets.test(cell.unsigned_integer - 1);
        };
    }

    const CaptureData& data_;
    BlockTimes& times_;
    const FilterResult* filter_;
};

}  // namespace

int64_t interval_length(const TimeViewport& sight, int64_t wanted_ns, size_t most) {
    const double ns_per_pixel = sight.ns_per_pixel();
    // What is prepared for it has half as much more at each end, and a little.
    const double prepared_ns = 2 * static_cast<double>(sight.range.span_ns()) + 130 * ns_per_pixel;
    const double least_ns = prepared_ns / static_cast<double>(std::max<size_t>(most, 3) - 2);
    if (wanted_ns > 0 && static_cast<double>(wanted_ns) >= least_ns) return wanted_ns;
    return round_length(std::max(least_ns, wanted_ns > 0 ? 0 : pixels_of_interval * ns_per_pixel));
}

GraphIntervals intervals_in(const GraphQuestion& question) {
    const int64_t begin_ns = std::max(question.prepared.range.begin_ns, question.whole.begin_ns);
    const int64_t end_ns = std::min(question.prepared.range.end_ns, question.whole.end_ns);
    GraphIntervals intervals;
    intervals.length_ns = question.length_ns;
    const int64_t before = (begin_ns - question.whole.begin_ns) / question.length_ns;
    intervals.begin_ns = question.whole.begin_ns + before * question.length_ns;
    if (end_ns <= begin_ns) return intervals;
    const int64_t span_ns = end_ns - intervals.begin_ns;
    const int64_t count = span_ns / question.length_ns + (span_ns % question.length_ns != 0 ? 1 : 0);
    intervals.count = std::min(most_graph_intervals, static_cast<size_t>(count));
    return intervals;
}

GraphPlan plan_of(const std::vector<GraphLine>& lines) {
    GraphPlan plan;
    for (const GraphLine& line : lines) {
        plan.problems.push_back(line.on ? problem_of(line) : QString());
        if (!line.on || !plan.problems.back().isEmpty()) continue;
        const GraphUnit unit = unit_of(line);
        if (std::ranges::find(plan.units, unit) != plan.units.end()) continue;
        auto* const unused = std::ranges::find(plan.units, std::optional<GraphUnit>());
        if (unused != plan.units.end()) {
            *unused = unit;
            continue;
        }
        plan.problems.back() =
            translated(
                "There are axes for two units, and lines above have them: %1 and %2. This line would need "
                "one for %3.")
                .arg(unit_title(*plan.units[0]), unit_title(*plan.units[1]), unit_title(unit));
    }
    return plan;
}

GraphPicture prepare_graph(const CaptureData& data, BlockTimes& times, BlockSums& sums,
                           const GraphQuestion& question, const StopFlag& stop) {
    GraphPicture picture;
    picture.prepared = question.prepared;
    picture.whole = question.whole;
    picture.intervals = intervals_in(question);
    picture.lines = question.lines;
    const GraphPlan plan = plan_of(question.lines);
    std::vector<GraphLine> drawn = question.lines;
    for (size_t i = 0; i < drawn.size(); ++i) drawn[i].on = drawn[i].on && plan.problems[i].isEmpty();
    const CaptureRows rows(data, times, question.filter.get());
    const bool again =
        sums.begin({drawn, question.whole.begin_ns, question.length_ns, question.filter, data.complete()});
    picture.series = graph_series(rows, drawn, picture.intervals, stop, again ? &sums : nullptr);
    sums.end();
    return picture;
}

}  // namespace sanscope
