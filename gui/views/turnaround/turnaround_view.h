// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <array>
#include <memory>

#include "gui/plot/budget_strip.h"
#include "gui/plot/plot_drawing.h"
#include "gui/senders/connection_chooser.h"
#include "gui/view_engine/debounce.h"
#include "gui/view_engine/plotted_view.h"
#include "gui/views/turnaround/turnaround_drawing.h"

namespace sanscope {

// What its worker brings.
struct PreparedTurnaround {
    TurnaroundPicture picture;
    QImage density;
    StepSeries depth_mean;
};

// How long commands took: each a point by when it was requested, or their density where there are many; beside it how their
// turnarounds are distributed, below it how many were under way, where the time of the selected one went, and percentiles as a
// table.
class TurnaroundView : public PreparedView<PreparedTurnaround, PlottedView> {
    Q_OBJECT

  public:
    TurnaroundView(Document& document, QWidget* parent);

    bool settled() const override;
    void draw(QPainter& painter) override;
    QString text_at(QPoint at) const override;

    // For tests: what is drawn now.
    const TurnaroundPicture& drawn() const { return picture().picture; }
    const TurnaroundStatistics& statistics() const { return *statistics_; }
    const PlotPane& scatter_pane() const { return *scatter_; }
    const BudgetStrip& strip() const { return *strip_; }

  protected:
    QString title() const override;
    bool serves() const override { return drawn().prepared.serves(plot_->time_viewport()); }
    Preparation preparation() override;
    void on_picture(const PreparedTurnaround& before) override;
    void fit_values() override;
    void want_statistics() override;
    void on_loaded() override;

  private:
    void build_plot();
    void make_legend();
    void on_scope_changed();
    void ask_statistics();
    void take_statistics(TurnaroundStatistics statistics);
    void fill_table();
    QString group_name(const TurnaroundStatistics::Group& group) const;
    FilteredOut filtered_out() const;
    void show_selected();
    void show_parts_of(const CommandRow& row, uint64_t number);
    void ask_parts_at(std::optional<QPoint> at);
    void draw_scatter(QPainter& painter, const PlotPane& pane);
    void draw_depth(QPainter& painter, const PlotPane& pane);
    void select_at(QPoint at, bool frame);
    const UnansweredMark* unanswered_mark_at(QPoint at) const;
    QString command_text(uint64_t command) const;
    // Of one without a turnaround.
    QString ending_text(uint64_t command) const;

    CommandScope scope_;
    ConnectionChooser* chooser_;
    QComboBox* group_box_;
    QCheckBox* leave_out_;
    BudgetStrip* strip_;  // of the selected command
    FigureTable* table_ = nullptr;
    LegendRow* legend_ = nullptr;
    PlotPane* scatter_ = nullptr;
    PlotPane* histogram_ = nullptr;
    PlotPane* depth_ = nullptr;
    StepDrawing drawing_;
    DotDrawing dots_;
    std::array<bool, command_classes> on_{};
    std::unique_ptr<TurnaroundStatistics> statistics_ = std::make_unique<TurnaroundStatistics>();
    std::shared_ptr<SharedCommandIndex> index_;
    std::optional<CommandDot> selected_dot_;
    LatestJob<TurnaroundStatistics> statistics_job_;
    // Where the time of one command went; `known` unless the capture is still being read.
    struct Parts {
        uint64_t command = 0;
        bool known = false;
        BudgetSums sums{};
    };
    static std::function<Parts(const StopFlag&)> find_parts(std::shared_ptr<const CaptureData> data,
                                                            uint64_t command);
    LatestJob<Parts> selected_parts_job_;
    LatestJob<Parts> parts_at_job_;
    Parts parts_at_;  // of the command that the pointer was over last
    Debounce statistics_debounce_;
    TimeRange asked_range_;  // of the statistics under way or shown, as the next two
    std::shared_ptr<const FilterResult> asked_filter_;
    std::shared_ptr<SharedCommandIndex> asked_index_;
};

}  // namespace sanscope
