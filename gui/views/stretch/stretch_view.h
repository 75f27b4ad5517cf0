// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <optional>

#include "gui/document/latest_job.h"
#include "gui/senders/connection_chooser.h"
#include "gui/view_engine/debounce.h"
#include "gui/view_engine/view.h"
#include "gui/views/stretch/stretch_rows.h"

namespace sanscope {

// What happened in the stretch of time that is marked, or else in sight: packets, commands, losses, where the time went; beside those
// of another stretch that was kept.
class StretchView : public View {
    Q_OBJECT

  public:
    StretchView(Document& document, QWidget* parent);

    bool settled() const override;
    // What is shown from now on is held against what is shown now; not while nothing is.
    void keep();
    void forget();
    const std::vector<StretchRow>& rows() const { return rows_; }

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    StretchQuestion question() const;
    void look();
    void ask();
    void show_figures();
    QString words_for(const StretchQuestion& question) const;
    void copy() const;

    ConnectionChooser* chooser_;
    QLabel* title_;
    QPushButton* keep_;
    QPushButton* forget_;
    QTableWidget* table_;
    std::vector<StretchRow> rows_;
    std::optional<StretchQuestion> asked_;
    std::optional<StretchFigures> shown_;
    std::optional<StretchFigures> kept_;
    LatestJob<StretchFigures> job_;
    Debounce debounce_;
};

}  // namespace sanscope
