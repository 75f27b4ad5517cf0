// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/io_graph/graph_csv.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "gui/views/io_graph/graph_words.h"

#include "analyzer/export/csv_writer.h"
#include "analyzer/export/replacement_file.h"
#include "analyzer/tables/table.h"

namespace sanscope {
namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(IoGraph)
};

QString key_title(GraphSplit split, uint64_t key) {
    switch (split) {
        case GraphSplit::lun:
            return Words::tr("LUN %1").arg(key);
        case GraphSplit::session:
            return Words::tr("session %1").arg(key);
        default:
            return Words::tr("connection %1").arg(key);
    }
}

QString no_key_title(GraphSplit split) {
    switch (split) {
        case GraphSplit::lun:
            return Words::tr("LUN not known");
        case GraphSplit::session:
            return Words::tr("no session");
        default:
            return Words::tr("no connection");
    }
}

// A picture's intervals as a table.
class IntervalTable final : public Table {
  public:
    IntervalTable(const GraphPicture& picture, TimeRange range) : picture_(picture) {
        const GraphIntervals& intervals = picture.intervals;
        for (size_t i = 0; i < intervals.count; ++i) {
            if (intervals.interval(i).overlaps(range)) rows_.push_back(i);
        }
        names_.emplace_back("begin_s");
        for (const GraphSeries& series : picture.series)
            names_.push_back(series_name(picture, series).toStdString());
        for (const std::string& name : names_) columns_.push_back({name, ColumnType::text, {}});
    }

    std::string_view name() const override { return "io_graph"; }
    std::span<const ColumnInfo> columns() const override { return columns_; }
    size_t rows() const override { return rows_.size(); }
    void cell(size_t row, size_t column, Cell& cell) const override {
        const size_t interval = rows_[row];
        if (column == 0) {
            constexpr int64_t ns_per_second = 1'000'000'000;
            const int64_t ns = picture_.intervals.interval(interval).begin_ns - picture_.whole.begin_ns;
            return write(cell, "{}.{:09}", ns / ns_per_second, ns % ns_per_second);
        }
        const double value = picture_.series[column - 1].points[interval].value;
        if (std::isnan(value)) return cell.set_empty();
        write(cell, "{}", value);
    }

  private:
    template <class... Values>
    static void write(Cell& cell, fmt::format_string<const Values&...> format, const Values&... values) {
        const auto end = fmt::format_to_n(cell.buffer, sizeof(cell.buffer), format, values...);
        cell.set(std::string_view(cell.buffer, std::min(end.size, sizeof(cell.buffer))));
    }

    const GraphPicture& picture_;
    std::vector<size_t> rows_;
    std::vector<std::string> names_;
    std::vector<ColumnInfo> columns_;  // their names are those
};

}  // namespace

QString series_name(const GraphPicture& picture, const GraphSeries& series) {
    const GraphLine& line = picture.line_of(series);
    const QString name = line_name(line);
    switch (series.of) {
        case GraphSeries::Of::key:
            return Words::tr("%1, %2", "line and its part").arg(name, key_title(line.split, series.key));
        case GraphSeries::Of::no_key:
            return Words::tr("%1, %2", "line and its part").arg(name, no_key_title(line.split));
        case GraphSeries::Of::others:
            return Words::tr("%1, %2", "line and its part").arg(name, Words::tr("others"));
        case GraphSeries::Of::all:
            break;
    }
    return name;
}

bool write_graph_csv(const GraphPicture& picture, TimeRange range, ByteSink& sink) {
    return write_csv(IntervalTable(picture, range), sink);
}

Result<std::monostate> write_graph_csv(const GraphPicture& picture, TimeRange range,
                                       const std::string& capture, const std::string& path) {
    if (auto allowed = refuse_overwriting(capture, path); !allowed) return allowed.error();
    auto file = ReplacementFile::create(path);
    if (!file) return file.error();
    // What went wrong in the sink, commit() tells.
    write_graph_csv(picture, range, (*file)->sink());
    return (*file)->commit();
}

}  // namespace sanscope
