// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHBoxLayout>
#include <optional>

#include "gui/plot/figure_table.h"
#include "gui/plot/time_plot.h"
#include "gui/view_engine/prepared_view.h"

namespace sanscope {

// A view that is a plot along the common time range, below a bar of controls, perhaps above a table of
// figures: `PreparedView<Picture, PlottedView>`.
class PlottedView : public PreparedViewBase {
    Q_OBJECT

  public:
    void draw(QPainter& painter) override;

    // For tests: what is drawn on, and the words for a pointer there.
    TimePlot& plot() const { return *plot_; }
    virtual QString text_at(QPoint at) const = 0;

  protected:
    using PreparedViewBase::PreparedViewBase;

    // To be called once by the constructor, when the controls are made. Returns the bar that they belong
    // into, from the left.
    QHBoxLayout& arrange();
    FigureTable& add_table(const QString& accessible_name);

    // In words, for a file that shows the plot without its controls.
    virtual QString title() const = 0;
    // Fits the panes' values to what is in sight.
    virtual void fit_values() = 0;
    // What is in sight may be another.
    virtual void want_statistics() {}

    bool ready() const override { return plot_->time_viewport().length >= 2; }
    void redraw() override;

    // A moment as a pointer shows it, in rich text.
    QString moment_text(int64_t time_ns) const;
    // Where what is selected is in sight.
    void draw_selection(QPainter& painter, const PlotPane& pane) const;

    TimePlot* plot_ = nullptr;

  private:
    void on_hover(std::optional<QPoint> at);

    FigureTable* table_ = nullptr;
};

}  // namespace sanscope
