// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/io_graph/graph_series.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "gui/views/io_graph/interval_value.h"

#include "analyzer/query/column_meaning.h"
#include "analyzer/query/row_filter.h"
#include "analyzer/vocabulary/rows.h"

namespace sanscope {
namespace {

using Key = std::optional<uint64_t>;  // of a split; nothing where it is not known

constexpr size_t rows_between_looks = 4096;  // at the stop flag

int64_t number_of(const Cell& cell) {
    constexpr auto most = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    return cell.kind == Cell::Kind::integer ? cell.integer
                                            : static_cast<int64_t>(std::min(cell.unsigned_integer, most));
}

bool is_number(const Cell& cell) {
    return cell.kind == Cell::Kind::integer || cell.kind == Cell::Kind::unsigned_integer;
}

// What a line wants of a row.
struct Found {
    int64_t time_ns = 0;
    int64_t value = 0;
    Key key;
};

// Finds it, with the cells that it needs alone.
class LineReader {
  public:
    // nullptr where the line cannot be read from these columns.
    static std::unique_ptr<LineReader> of(const GraphLine& line, std::span<const ColumnInfo> columns) {
        auto reader = std::make_unique<LineReader>();
        const auto time = find_column(columns, line.time);
        if (!time) return nullptr;
        reader->time_ = *time;
        reader->by_packet_ = meaning_of(columns[*time]) != Meaning::moment;
        if (takes_column(line.function) && !line.column.empty()) {
            reader->value_ = find_column(columns, line.column);
            if (!reader->value_) return nullptr;
        }
        if (line.split != GraphSplit::none) {
            reader->key_ = find_column(columns, column_of(line.split));
            if (!reader->key_) return nullptr;
        }
        if (line.filter.empty()) return reader;
        auto compiled = RowFilter::compile(line.filter, line.table, columns);
        auto* const filter = std::get_if<RowFilter>(&compiled);
        if (filter == nullptr) return nullptr;
        reader->filter_ = std::move(*filter);
        return reader;
    }

    // The rows that follow are of this one, until leave().
    void enter(const GraphRows::Block& block) {
        block_ = &block;
        if (filter_) test_.emplace(*filter_, block.table);
    }
    void leave() {
        test_.reset();
        block_ = nullptr;
    }

    // False where the row is not in the range, does not pass, or has no value.
    bool find(size_t row, const TimeRange& range, Found& found) {
        const Table& table = block_->table;
        table.cell(row, time_, cell_);
        if (!is_number(cell_)) return false;
        found.time_ns = number_of(cell_);
        if (by_packet_) {
            found.time_ns =
                block_->packet_time ? block_->packet_time(static_cast<uint64_t>(found.time_ns)) : no_time;
        }
        if (!range.contains(found.time_ns)) return false;
        if (test_ && !(*test_)(row)) return false;
        if (value_) {
            table.cell(row, *value_, cell_);
            if (!is_number(cell_)) return false;
            found.value = number_of(cell_);
        }
        if (key_) {
            table.cell(row, *key_, cell_);
            found.key = is_number(cell_) ? Key(static_cast<uint64_t>(number_of(cell_))) : std::nullopt;
        }
        return true;
    }

  private:
    size_t time_ = 0;
    bool by_packet_ = false;
    std::optional<size_t> value_;
    std::optional<size_t> key_;
    std::optional<RowFilter> filter_;
    std::optional<RowTest> test_;
    const GraphRows::Block* block_ = nullptr;
    Cell cell_;
};

// A line on its way to its series.
class LineSums {
  public:
    LineSums(const GraphLine& line, size_t index, std::unique_ptr<LineReader> reader)
        : line_(&line), index_(index), reader_(std::move(reader)) {}

    const GraphLine& line() const { return *line_; }
    LineReader& reader() { return *reader_; }
    bool is_split() const { return line_->split != GraphSplit::none; }

    void weigh(const Found& found) {
        if (totals_.size() >= most_split_keys && !totals_.contains(found.key)) {
            too_many_ = true;
            return;
        }
        totals_[found.key].add(found.value, percent_of(line_->function) != 0);
    }

    // To be called once all were weighed.
    void make_series(const GraphIntervals& intervals) {
        if (!is_split()) {
            begin_series(GraphSeries::Of::all, 0, intervals);
            return;
        }
        for (const Key& key : greatest(intervals.range().span_ns())) {
            places_[key] = sums_.size();
            begin_series(key ? GraphSeries::Of::key : GraphSeries::Of::no_key, key.value_or(0), intervals);
        }
        if (too_many_ || totals_.size() > places_.size()) begin_series(GraphSeries::Of::others, 0, intervals);
        totals_.clear();
    }

    void add(const Found& found, size_t interval) {
        size_t place = 0;
        if (is_split()) {
            const auto known = places_.find(found.key);
            place = known != places_.end() ? known->second : places_.size();
            // A recording may have gone on since they were weighed.
            if (place >= sums_.size()) return;
        }
        sums_[place][interval].add(found.value, percent_of(line_->function) != 0);
    }

    // Of a line that is not split: what was kept of a block, by interval from `begin_ns` on.
    void add(const BlockSums::Values& values, int64_t begin_ns, const GraphIntervals& intervals) {
        const int64_t first = (intervals.begin_ns - begin_ns) / intervals.length_ns;
        const auto last = first + static_cast<int64_t>(intervals.count);
        for (auto at = values.lower_bound(first); at != values.end() && at->first < last; ++at)
            sums_[0][static_cast<size_t>(at->first - first)].add(at->second);
    }

    size_t index() const { return index_; }

    void finish(const GraphIntervals& intervals, std::vector<GraphSeries>& all) {
        for (size_t i = 0; i < sums_.size(); ++i) {
            for (const IntervalValue& sum : sums_[i]) {
                series_[i].points.push_back({sum.value(*line_, intervals.length_ns), sum.rows(), sum.exact(),
                                             sum.rows() == 0 || sum.rows() >= least_rows(line_->function)});
            }
            all.push_back(std::move(series_[i]));
        }
    }

  private:
    void begin_series(GraphSeries::Of of, uint64_t key, const GraphIntervals& intervals) {
        GraphSeries series;
        series.line = index_;
        series.of = of;
        series.key = key;
        series.points.reserve(intervals.count);
        series_.push_back(std::move(series));
        sums_.emplace_back(intervals.count);
    }

    std::vector<Key> greatest(int64_t span_ns) const {
        std::vector<std::pair<double, Key>> values;
        for (const auto& [key, total] : totals_) values.emplace_back(total.value(*line_, span_ns), key);
        std::ranges::stable_sort(values, std::greater(), &std::pair<double, Key>::first);
        values.resize(std::min(values.size(), most_split_series));
        std::vector<Key> keys;
        keys.reserve(values.size());
        for (const auto& [value, key] : values) keys.push_back(key);
        // What is not known behind what is.
        std::ranges::sort(keys, {},
                          [](const Key& key) { return std::pair(!key.has_value(), key.value_or(0)); });
        return keys;
    }

    const GraphLine* line_;
    size_t index_;
    std::unique_ptr<LineReader> reader_;
    std::map<Key, IntervalValue> totals_;
    bool too_many_ = false;
    std::map<Key, size_t> places_;
    std::vector<GraphSeries> series_;
    std::vector<std::vector<IntervalValue>> sums_;  // by series and interval
};

// Calls `act(line, found)` for what the lines find in the rows of a block.
template <class Act>
void visit_block(const GraphRows::Block& block, const TimeRange& range, std::span<LineSums* const> lines,
                 const StopFlag& stop, Act act) {
    for (LineSums* const line : lines) line->reader().enter(block);
    Found found;
    for (size_t row = block.first; row < block.last; ++row) {
        if (row % rows_between_looks == 0 && stop) break;
        if (block.passes && !block.passes(row)) continue;
        for (LineSums* const line : lines) {
            if (line->reader().find(row, range, found)) act(*line, found);
        }
    }
    for (LineSums* const line : lines) line->reader().leave();
}

GraphRows::Wanted wanted_by(std::span<LineSums* const> lines, std::string_view table,
                            const TimeRange& range) {
    GraphRows::Wanted wanted{table, {}, range};
    for (const LineSums* const line : lines) {
        const std::string& time = line->line().time;
        if (std::ranges::find(wanted.times, std::string_view(time)) == wanted.times.end())
            wanted.times.emplace_back(time);
    }
    return wanted;
}

// Of a line that is not split, in all of time.
BlockSums::Values values_of(LineSums& line, const GraphRows::Block& block, int64_t begin_ns,
                            int64_t length_ns, const StopFlag& stop) {
    constexpr TimeRange always{no_time + 1, std::numeric_limits<int64_t>::max()};
    BlockSums::Values values;
    LineSums* const lines[] = {&line};
    visit_block(block, always, lines, stop, [&](const LineSums& of, const Found& found) {
        int64_t since_ns = 0;
        // What is not to be told from the beginning by a number is in no interval either.
        if (__builtin_sub_overflow(found.time_ns, begin_ns, &since_ns) || since_ns < 0) return;
        values[since_ns / length_ns].add(found.value, percent_of(of.line().function) != 0);
    });
    return values;
}

void sum_up(const GraphRows& rows, std::string_view table, const GraphIntervals& intervals,
            std::span<LineSums* const> lines, const StopFlag& stop, BlockSums* sums) {
    const TimeRange range = intervals.range();
    std::vector<LineSums*> split;
    std::ranges::copy_if(lines, std::back_inserter(split),
                         [](const LineSums* line) { return line->is_split(); });
    if (!split.empty()) {
        rows.walk(wanted_by(split, table, range), stop, [&](const GraphRows::Block& block) {
            visit_block(block, range, split, stop,
                        [](LineSums& line, const Found& found) { line.weigh(found); });
        });
    }
    for (LineSums* const line : lines) line->make_series(intervals);
    std::vector<LineSums*> reading;
    rows.walk(wanted_by(lines, table, range), stop, [&](const GraphRows::Block& block) {
        reading.clear();
        for (LineSums* const line : lines) {
            if (sums == nullptr || !block.settled || line->is_split()) {
                reading.push_back(line);
                continue;
            }
            const BlockSums::Values* values = sums->find(line->index(), *block.settled);
            if (values == nullptr) {
                BlockSums::Values made = values_of(*line, block, sums->begin_ns(), intervals.length_ns, stop);
                if (stop) return;
                values = &sums->keep(line->index(), *block.settled, std::move(made));
            }
            line->add(*values, sums->begin_ns(), intervals);
        }
        if (reading.empty()) return;
        visit_block(block, range, reading, stop, [&](LineSums& line, const Found& found) {
            line.add(found, intervals.at(found.time_ns));
        });
    });
}

}  // namespace

size_t most_intervals(std::span<const GraphLine> lines) {
    // Each may come to some 10 KB once it has many rows.
    constexpr size_t most_histograms = 8192;
    constexpr size_t fewest = 256;
    size_t histograms = 0;
    for (const GraphLine& line : lines) {
        if (!line.on || percent_of(line.function) == 0) continue;
        histograms += line.split == GraphSplit::none ? 1 : most_split_series + 1;
    }
    if (histograms == 0) return most_graph_intervals;
    return std::clamp(most_histograms / histograms, fewest, most_graph_intervals);
}

std::vector<GraphSeries> graph_series(const GraphRows& rows, std::span<const GraphLine> lines,
                                      const GraphIntervals& intervals, const StopFlag& stop,
                                      BlockSums* sums) {
    std::vector<std::unique_ptr<LineSums>> line_sums;
    std::map<std::string_view, std::vector<LineSums*>> by_table;
    for (size_t i = 0; i < lines.size(); ++i) {
        const GraphLine& line = lines[i];
        if (!line.on || (needs_column(line.function) && line.column.empty())) continue;
        auto reader = LineReader::of(line, rows.columns(line.table));
        if (reader == nullptr) continue;
        line_sums.push_back(std::make_unique<LineSums>(line, i, std::move(reader)));
        by_table[line.table].push_back(line_sums.back().get());
    }
    if (intervals.count == 0) return {};
    for (const auto& [table, of_table] : by_table) {
        if (stop) return {};
        sum_up(rows, table, intervals, of_table, stop, sums);
    }
    std::vector<GraphSeries> series;
    for (const auto& line : line_sums) line->finish(intervals, series);
    return series;
}

}  // namespace sanscope
