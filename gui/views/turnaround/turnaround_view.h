// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QElapsedTimer>
#include <QImage>
#include <QTableWidget>
#include <QTimer>
#include <array>
#include <memory>

#include "gui/models/senders/sender_list.h"
#include "gui/plot/plot_drawing.h"
#include "gui/views/turnaround/turnaround_picture.h"
#include "gui/views/turnaround/turnaround_statistics.h"
#include "gui/views/view.h"

namespace sanscope {

// How long commands took: each a point by when it was requested, or their density where there are many; beside it how their
// turnarounds are distributed, below it how many were under way, and their percentiles as a table.
class TurnaroundView : public View {
    Q_OBJECT

  public:
    TurnaroundView(Document& document, QWidget* parent);

    bool settled() const override;
    void draw(QPainter& painter) override;

    // For tests: what is drawn now, and what a pointer there is told.
    const TurnaroundPicture& picture() const { return prepared_->picture; }
    const TurnaroundStatistics& statistics() const { return *statistics_; }
    TimePlot& plot() const { return *plot_; }
    const PlotPane& scatter_pane() const { return *scatter_; }
    QString text_at(QPoint at) const;

  private:
    // What a job brings.
    struct Prepared {
        TurnaroundPicture picture;
        QImage density;
        StepSeries depth_mean;
    };
    struct Scopes {
        uint32_t sessions = 0;
        std::vector<ConnectionChoice> connections;
        bool operator==(const Scopes&) const = default;
    };

    void build_plot();
    void make_legend();
    void refresh();
    void request();
    void take(Prepared prepared);
    void look_for_scopes();
    void take_scopes(Scopes scopes);
    void want_statistics();
    void ask_statistics();
    void take_statistics(TurnaroundStatistics statistics);
    void fill_table();
    QString group_name(const TurnaroundStatistics::Group& group) const;
    void fit_values();
    FilteredOut filtered_out() const;
    void show_selected();
    void draw_scatter(QPainter& painter, const PlotPane& pane);
    void draw_dots(QPainter& painter, const PlotPane& pane);
    void draw_histogram(QPainter& painter, const PlotPane& pane) const;
    void draw_depth(QPainter& painter, const PlotPane& pane);
    void on_hover(std::optional<QPoint> at);
    void select_at(QPoint at, bool frame);
    void frame_selected();

    CommandScope scope_;
    QComboBox* scope_box_;
    QComboBox* group_box_;
    QCheckBox* leave_out_;
    TimePlot* plot_;
    QTableWidget* table_;
    LegendRow* legend_ = nullptr;
    PlotPane* scatter_ = nullptr;
    PlotPane* histogram_ = nullptr;
    PlotPane* depth_ = nullptr;
    StepDrawing drawing_;
    std::array<std::vector<QRectF>, 2 * command_classes> boxes_;  // of classes, then of their faint ones
    std::array<bool, command_classes> on_{};
    Scopes scopes_;
    std::unique_ptr<Prepared> prepared_ = std::make_unique<Prepared>();
    std::unique_ptr<TurnaroundStatistics> statistics_ = std::make_unique<TurnaroundStatistics>();
    std::shared_ptr<SharedCommandIndex> index_;
    std::optional<CommandDot> selected_dot_;
    QElapsedTimer since_grown_;
    bool stale_ = true;
    bool to_frame_ = false;  // as soon as it is known what the selection is
    LatestJob<Prepared> job_{true};
    LatestJob<TurnaroundStatistics> statistics_job_;
    LatestJob<Scopes> scopes_job_;
    LatestJob<uint64_t> find_job_;
    QTimer statistics_timer_;
    QElapsedTimer since_movement_;
    TimeRange asked_range_;  // of the statistics under way or shown, as the next two
    std::shared_ptr<const FilterResult> asked_filter_;
    std::shared_ptr<SharedCommandIndex> asked_index_;
};

// The picture of a grid's cells: a pixel a cell, the longest turnarounds on top. Any thread.
QImage density_image(const DensityGrid& grid, const Theme& theme);

}  // namespace sanscope
