// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "gui/document/brief_worker_threads.h"
#include "gui/document/latest_job.h"
#include "gui/models/table_model.h"
#include "gui/view_engine/view.h"
#include "gui/views/tables/csv_export.h"
#include "gui/views/tables/uniform_rows_table.h"

class QLabel;
class QProgressBar;
class QToolButton;

namespace sanscope {

class FindBar;

// A table of the capture, row by row: those that pass the filter, put in order by a click on a header, selected together with
// all other views. It is filled while it can be seen.
class RowsView : public View {
    Q_OBJECT

  public:
    // `table` is the name of one of table_kinds().
    RowsView(Document& document, std::string_view table, QWidget* parent);
    // Over another source of rows than the document's own.
    RowsView(Document& document, std::shared_ptr<const TableAccess> access, QWidget* parent);
    ~RowsView() override;

    bool settled() const override;
    UniformRowsTable& table() const { return *table_; }
    TableModel& model() const { return *model_; }
    QString table_name() const;  // as in filters

    // Of a table of packets: times are told from that packet, where *REF* stands, in seconds; 0: as in all views. False
    // where its time is not known, or not yet.
    bool set_time_reference(PacketNumber packet);
    PacketNumber time_reference_packet() const { return reference_packet_; }

    // Whether the time since the packet before is that since the row above, whatever is shown; kept.
    void set_delta_of_shown(bool of_shown);

    // Below a table of packets; nullptr below any other.
    FindBar* find_bar() const { return find_bar_; }

    // Coloring rules for its rows; none at first.
    void set_colors(ThemedRowColors colors);

    // By a column of the table's; -1: as the rows come. While the capture is loaded, once it is.
    void sort(int column, Qt::SortOrder order);
    int sort_column() const { return sort_column_; }
    Qt::SortOrder sort_order() const { return sort_order_; }
    // The rows with the greatest values of a column of that name first; shows the column where it was not.
    void show_greatest(std::string_view column);
    // Of a table that is none of table_kinds(): these are shown, in that order, unless the user chose otherwise.
    void show_columns(std::span<const std::string_view> names);
    // Selected rows with a header, columns as they are shown, tab-separated. False where there are too many, which the status line says.
    bool copy_selection();
    // What is shown, to a file; progress is shown below the table.
    void export_csv(const QString& path);
    const CsvExport& csv_export() const { return *export_; }
    QString status_text() const;

  Q_SIGNALS:
    // A condition on a column was chosen from a row's menu.
    void filter_wanted(const QString& expression, const QString& table);
    // Rows of another table that are to be shown, as a filter over it.
    void rows_wanted(const QString& filter, const QString& table);
    // Something to be said of them, where it stays when they come to the front.
    void told(const QString& text);
    // The TCP stream of a row's connection (1-based) is to be shown.
    void stream_wanted(uint32_t connection);
    // What that connection is decoded as is to be chosen.
    void decode_as_wanted(uint32_t connection);
    void exported(bool written);

  protected:
    void on_in_sight() override;
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    struct Arranged {
        ShownRows rows;
        size_t total = 0;
        bool ascending = true;  // in the table's order
        bool done = false;
    };
    void make_widgets();
    void set_up_header();
    void fit_column(int column);
    void arrange_columns(std::span<const std::string_view> names);
    void restore_columns();
    void count_rows();
    void show_growth(size_t rows);
    bool follows_end() const;
    void arrange();
    void show_arranged(const Arranged& arranged);
    void follow_selection();
    void highlight_selected();
    QString noun_for(uint64_t count) const;
    int row_of_selection() const;
    int first_at_selected_packets() const;
    void select_row(int row);
    void on_current_changed(const QModelIndex& current);
    void show_header_menu(QPoint at);
    // Shows, of a loss, the commands whose data stood behind it.
    void show_waiting_commands(uint64_t loss);
    void show_commands(const std::vector<uint64_t>& commands);
    bool is_loss_waited_for(int row) const;
    void show_row_menu(QPoint at);
    uint32_t connection_of(int row) const;
    void show_status();
    void show_why_empty();
    void ask_for_export();
    void remember_columns() const;
    void apply_theme();
    void prepare_colors();
    TimeReference time_reference() const;

    std::shared_ptr<const TableAccess> access_;
    const TableKind* kind_;  // nullptr: rows that are nothing to other views
    TableModel* model_;
    UniformRowsTable* table_;
    QLabel* why_empty_;  // in place of rows
    QLabel* status_;
    QProgressBar* progress_;
    QToolButton* cancel_;
    QToolButton* export_button_;
    CsvExport* export_;
    QString export_path_;  // of what is written
    FindBar* find_bar_ = nullptr;
    ThemedRowColors colors_;
    PacketNumber reference_packet_ = 0;
    int64_t reference_ns_ = 0;
    QString message_;
    size_t total_ = 0;
    int sort_column_ = -1;
    Qt::SortOrder sort_order_ = Qt::AscendingOrder;
    int packet_column_ = -1;
    bool stale_ = true;       // not filled since it was last hidden
    bool arranged_ = false;   // rows are as filter and order ask
    bool selecting_ = false;  // the table's own doing
    bool to_top_ = false;     // once rows are in the order that was asked for
    LatestJob<size_t> count_{true, &brief_worker_threads()};
    LatestJob<Arranged> arrange_;
    LatestJob<std::vector<uint64_t>> waited_job_;
};

}  // namespace sanscope
