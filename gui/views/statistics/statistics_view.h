// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QTabBar>
#include <QTableView>
#include <optional>
#include <utility>
#include <vector>

#include "gui/document/latest_job.h"
#include "gui/view_engine/debounce.h"
#include "gui/view_engine/live_pace.h"
#include "gui/view_engine/view.h"
#include "gui/views/statistics/capture_statistics.h"
#include "gui/views/statistics/statistics_model.h"

namespace sanscope {

// The capture summed up, or its selected range, a page each: sorted by a click on a header; a double click on a row filters by what it sums up.
class StatisticsView : public View {
    Q_OBJECT

  public:
    StatisticsView(Document& document, QWidget* parent);

    bool settled() const override { return job_.idle() && !debounce_.waiting() && !pace_.waiting(); }
    // Of the selected range of time, or else of the one in sight, instead of all of the capture.
    void limit_to_range(bool limited);
    void show_page(StatisticsPage page);
    StatisticsPage page() const;
    const StatisticsTable& statistics() const { return model_->table(); }
    QTableView& table() const { return *table_; }

  Q_SIGNALS:
    void filter_wanted(const QString& expression, const QString& table);

  protected:
    void on_in_sight() override;

  private:
    // What was asked for: the page, of what, of a capture that was whole.
    struct Asked {
        StatisticsPage page;
        StatisticsScope scope;
        bool whole;
        bool operator==(const Asked&) const = default;
    };
    void ask();
    void ask_anew();
    Asked wanted() const;
    void on_range_changed();
    void on_grown();
    void show_table(StatisticsTable table, const Asked& of);
    void show_note();
    QString words_for(const Asked& of) const;
    void widen_columns();
    void open_row(int row);
    void copy() const;

    QTabBar* pages_;
    QComboBox* of_;
    StatisticsModel* model_;
    QTableView* table_;
    QLabel* note_;
    std::vector<int> widths_;  // of columns, as their texts needed by now
    std::optional<Asked> shown_of_;
    std::optional<Asked> asked_;
    LatestJob<StatisticsTable> job_;
    Debounce debounce_;
    LivePace pace_;
};

}  // namespace sanscope
