// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <optional>

#include "gui/document/latest_job.h"
#include "gui/senders/connection_chooser.h"
#include "gui/view_engine/debounce.h"
#include "gui/view_engine/live_pace.h"
#include "gui/view_engine/view.h"
#include "gui/views/selected_range/range_rows.h"

namespace sanscope {

// What happened in the selected range of time, or else in sight: packets, commands, losses, where the time went; beside those
// of another range that was kept.
class SelectedRangeView : public View {
    Q_OBJECT

  public:
    SelectedRangeView(Document& document, QWidget* parent);

    bool settled() const override;
    // What is shown from now on is held against what is shown now; not while nothing is.
    void keep();
    void forget();
    const std::vector<RangeRow>& rows() const { return rows_; }

  protected:
    void on_in_sight() override;

  private:
    RangeQuestion question() const;
    void look();
    void ask();
    void show_figures();
    QString words_for(const RangeQuestion& question) const;
    void copy() const;

    ConnectionChooser* chooser_;
    QLabel* title_;
    QPushButton* keep_;
    QPushButton* forget_;
    QTableWidget* table_;
    std::vector<RangeRow> rows_;
    std::optional<RangeQuestion> asked_;
    std::optional<RangeFigures> shown_;
    std::optional<RangeFigures> kept_;
    LatestJob<RangeFigures> job_;
    Debounce debounce_;
    LivePace pace_;
};

}  // namespace sanscope
