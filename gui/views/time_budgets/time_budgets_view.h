// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <memory>

#include "gui/senders/connection_chooser.h"
#include "gui/view_engine/debounce.h"
#include "gui/view_engine/plotted_view.h"
#include "gui/views/time_budgets/breakdown_table.h"
#include "gui/views/time_budgets/parts_picture.h"

namespace sanscope {

// Where the time of many commands went: over time the mean command's turnaround in its parts, and their shares; below, by
// session, LUN, direction and size. A click on a part wants the commands that lost most to it.
class TimeBudgetsView : public PreparedView<PartsPicture, PlottedView> {
    Q_OBJECT

  public:
    TimeBudgetsView(Document& document, QWidget* parent);

    bool settled() const override;
    void draw(QPainter& painter) override;
    QString text_at(QPoint at) const override;

    // For tests: what is drawn now.
    const PlotPane& mean_pane() const { return *mean_; }
    const PlotPane& share_pane() const { return *share_; }
    BreakdownTable& table() const { return *table_; }
    const LegendRow& legend() const { return *legend_; }
    void set_breakdown(BreakdownBy by);
    // What is said across the plot; empty: nothing.
    QString message() const;

  Q_SIGNALS:
    // The commands that pass the filter over their columns are to be seen, the greatest value of the column first.
    void commands_wanted(const QString& filter, const QString& column);

  protected:
    QString title() const override;
    bool wants_picture() const override { return !document().loading() && PlottedView::wants_picture(); }
    bool serves() const override { return picture().prepared.serves(plot_->time_viewport()); }
    Preparation preparation() override;
    void on_picture(const PartsPicture& before) override;
    void on_growth() override;
    void redraw() override;
    void fit_values() override;
    void want_statistics() override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void build_plot();
    void learn_parts(const BudgetSums& anywhere);
    void make_legend();
    void fit_table();
    std::shared_ptr<const FilterResult> filter() const;
    BreakdownQuestion question() const;
    void ask_breakdown();
    void want_commands(const BreakdownQuestion& of, const Breakdown::Group& group,
                       std::optional<BudgetPart> part);
    void draw_columns(QPainter& painter, const PlotPane& pane, bool shares) const;
    // What a pointer is over: a column with commands, and the part of its stack.
    struct Under {
        size_t column = 0;
        std::optional<BudgetPart> part;
    };
    std::optional<Under> under(QPoint at) const;
    void select_at(QPoint at, bool frame);

    ConnectionChooser* chooser_;
    QComboBox* by_box_;
    LegendRow* legend_ = nullptr;
    PlotPane* mean_ = nullptr;
    PlotPane* share_ = nullptr;
    BreakdownTable* table_;
    std::vector<BudgetPart> present_;  // of any command of the capture
    std::shared_ptr<SharedCommandParts> parts_ = std::make_shared<SharedCommandParts>();
    LatestJob<Breakdown> breakdown_job_;
    Debounce breakdown_debounce_;
    std::optional<BreakdownQuestion> asked_;
    // What was filtered before this view asked for a filter, and that: it goes on to show all that it was asked about.
    std::string own_filter_;
    std::shared_ptr<const FilterResult> filter_before_;
};

}  // namespace sanscope
