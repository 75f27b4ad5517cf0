// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QTabBar>
#include <QTableWidget>
#include <optional>
#include <utility>

#include "gui/document/latest_job.h"
#include "gui/view_engine/view.h"
#include "gui/views/statistics/capture_statistics.h"

namespace sanscope {

// The capture summed up, a page each: sorted by a click on a header; a double click on a row filters by what it sums up.
class StatisticsView : public View {
    Q_OBJECT

  public:
    StatisticsView(Document& document, QWidget* parent);

    bool settled() const override { return job_.idle(); }
    void show_page(StatisticsPage page);
    StatisticsPage page() const;
    const StatisticsTable& statistics() const { return shown_; }

  Q_SIGNALS:
    void filter_wanted(const QString& expression, const QString& table);

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    void ask();
    void on_grown();
    void show_table(StatisticsTable table);
    void open_row(int row);
    void copy() const;

    QTabBar* pages_;
    QTableWidget* table_;
    QLabel* note_;
    StatisticsTable shown_;
    // What was asked for: the page, of which filter, of a capture that was whole.
    struct Asked {
        StatisticsPage page;
        std::shared_ptr<const FilterResult> filter;
        bool whole;
        bool operator==(const Asked&) const = default;
    };
    std::optional<Asked> asked_;
    LatestJob<StatisticsTable> job_;
};

}  // namespace sanscope
