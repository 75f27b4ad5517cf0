// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gui/document/latest_job.h"
#include "gui/models/column_format.h"
#include "gui/models/row_colors.h"
#include "gui/models/table_access.h"
#include "gui/plot/theme.h"

namespace sanscope {

// Rows of a table in the order in which they are shown: nullptr is all of them as they come.
using ShownRows = std::shared_ptr<const std::vector<uint32_t>>;

// A table, or some of its rows in some order, for a QTableView. Cells are made when asked for. While the table may still
// change, those in sight are fetched by a worker; until they come, the ones before stand, or nothing. GUI thread.
class TableModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    // Whether a row of the table belongs to what is selected elsewhere.
    using Highlighted = std::function<bool(const Table& table, uint32_t row)>;

    // Qt counts rows in int.
    static constexpr size_t most_rows = 2'000'000'000;

    explicit TableModel(std::shared_ptr<const TableAccess> access, QObject* parent = nullptr);

    const TableAccess& access() const { return *access_; }
    const ColumnFormat& format(int column) const { return formats_[static_cast<size_t>(column)]; }

    // All rows in the table's order, of which there are so many by now.
    void show_all(size_t rows);
    // These; the table must be final. `ascending`: they are in its order.
    void show(ShownRows rows, bool ascending);
    const ShownRows& shown() const { return shown_; }
    // The cells in sight may have changed.
    void refresh();
    // Has so many of the last rows ready before they come into sight; fetched() shows when.
    void fetch_end(int rows);

    uint32_t table_row(int row) const {
        return shown_ ? (*shown_)[static_cast<size_t>(row)] : static_cast<uint32_t>(row);
    }
    // Where a row of the table is shown; -1: it is not.
    int position_of(uint32_t table_row) const;

    void set_time(const TimeReference& time);
    const TimeReference& time() const { return time_; }
    // The row of the table whose moment the times are told from: there stands *REF*. Nothing: none of them.
    void set_reference_row(std::optional<uint32_t> table_row);
    // The column `delta_ns`, where the table has it, is told from the row before as they are shown, not as captured, once
    // nothing in the table changes any more.
    int delta_column() const { return delta_column_; }  // -1: it has none
    bool delta_of_shown() const { return delta_of_shown_; }
    void set_delta_of_shown(bool of_shown);
    // `tells_unnamed`: those without a name that come into sight are told.
    void set_host_names(const std::shared_ptr<const HostNames>& names, bool tells_unnamed = false);
    void set_theme(const Theme& theme);
    void set_highlighted(Highlighted highlighted);
    // Coloring rules, which a worker asks of rows once they are in sight; nullptr: none.
    void set_colors(std::shared_ptr<const RowColors> colors);
    // Asks them of so many rows from `first` on before they come into sight.
    void prepare_colors(int first, int rows);
    // That which colours the row; nullptr: none, or it has not been asked yet.
    const ColorRule* color_rule(int row) const;
    // Whose rows are being put in order; -1: none.
    void set_busy_column(int column);

    // False, and nothing, while its cell has not been fetched.
    bool cell(int row, int column, Cell& cell) const;
    QString text(int row, int column) const;
    // Cells are on their way.
    bool fetching() const {
        return !fetch_.idle() || wanted_first_ >= 0 || !color_job_.idle() || !uncolored_.empty();
    }

    int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : count_; }
    int columnCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(formats_.size());
    }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  Q_SIGNALS:
    void fetched();
    // Addresses, with a port or without, that were painted as they are.
    void unnamed_in_sight(const QStringList& ends);

  private:
    // Rows [first, first + size) of the table as they were when fetched.
    struct Page {
        struct Field {
            QString text;
            QString exact;
        };
        int first = 0;
        std::vector<std::vector<Field>> rows;
        std::vector<bool> highlighted;
        std::shared_ptr<const RowColors> colors;
        std::vector<int> color_rules;  // of `colors`, for the first rows that there was time to ask
    };
    // Of rows of the final table, the rules that colour them.
    struct ColorAnswer {
        std::shared_ptr<const RowColors> colors;
        std::vector<std::pair<uint32_t, int>> rules;
    };
    const Page::Field* field(int row, int column) const;
    void want(int table_row) const;
    void fetch_wanted();
    bool is_problem(int row, int column, const Table& table) const;
    bool is_highlighted(int row) const;
    bool shown_cell(int row, int column, Cell& cell) const;
    void tell_unnamed(const QString& end) const;
    void want_color(uint32_t table_row) const;
    void fetch_colors();

    std::shared_ptr<const TableAccess> access_;
    std::vector<ColumnFormat> formats_;
    int status_column_ = -1;  // whose words may report a problem
    int outcome_column_ = -1;
    int damaged_column_ = -1;
    int delta_column_ = -1;
    int time_column_ = -1;
    bool delta_of_shown_ = false;
    ShownRows shown_;
    bool ascending_ = false;  // shown_ is in the table's order
    int count_ = 0;
    TimeReference time_;
    std::optional<uint32_t> reference_row_;
    const Theme* theme_;
    Highlighted highlighted_;
    int busy_column_ = -1;
    bool tells_unnamed_ = false;
    mutable QStringList unnamed_;  // painted since they were last told
    Page page_;
    mutable int wanted_first_ = -1;  // of the table
    mutable int wanted_last_ = -1;
    LatestJob<Page> fetch_{true};
    std::shared_ptr<const RowColors> colors_;
    mutable std::unordered_map<uint32_t, int> rule_of_row_;  // of the final table
    mutable std::vector<uint32_t> uncolored_;                // of which that is yet to be found
    LatestJob<ColorAnswer> color_job_{true};
};

}  // namespace sanscope
