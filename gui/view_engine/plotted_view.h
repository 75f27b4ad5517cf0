// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QHBoxLayout>
#include <optional>

#include "gui/plot/figure_table.h"
#include "gui/plot/time_plot.h"
#include "gui/view_engine/view.h"

namespace sanscope {

// A view that is a plot along the common time range, below a bar of controls, perhaps above a table of
// figures. Draws what it has at once, and has a picture prepared behind the window wherever that does not
// serve what is in sight: because the range is another, the capture has grown, or it is of something else
// that is to be drawn.
class PlottedView : public View {
    Q_OBJECT

  public:
    void draw(QPainter& painter) override;

    // For tests: what is drawn on, and what a pointer there is told.
    TimePlot& plot() const { return *plot_; }
    virtual QString text_at(QPoint at) const = 0;

  protected:
    using View::View;

    // To be called once by the constructor, when the controls are made. Returns the bar that they belong
    // into, from the left.
    QHBoxLayout& arrange();
    FigureTable& add_table(const QString& accessible_name);

    // In words, for a file that shows the plot without its controls.
    virtual QString title() const = 0;
    // A picture is being prepared. That one must end with refresh(): the range may have gone on meanwhile.
    virtual bool preparing() const = 0;
    // The picture there is does for what is in sight.
    virtual bool serves(const TimeViewport& viewport) const = 0;
    // Prepares a picture for what is in sight.
    virtual void request() = 0;
    // Fits the panes' values to what is in sight.
    virtual void fit_values() = 0;
    // What is in sight may be another.
    virtual void want_statistics() {}
    // Before a picture of a capture that has grown is prepared.
    virtual void on_grown() {}
    // Before the picture of the whole capture is; rows may have been put in order anew at the end.
    virtual void on_loaded() {}

    void refresh();
    // The picture there is shows something else, or less of it, than is wanted now.
    void renew();
    // No picture of something else is drawn, as far as it is known what is wanted.
    bool up_to_date() const { return !stale_ || state().range().empty(); }
    // A moment as a pointer is told of it, in rich text.
    QString moment_text(int64_t time_ns) const;
    // Where what is selected is in sight.
    void draw_selection(QPainter& painter, const PlotPane& pane) const;

    TimePlot* plot_ = nullptr;

  private:
    void on_hover(std::optional<QPoint> at);

    FigureTable* table_ = nullptr;
    QElapsedTimer since_grown_;
    bool stale_ = true;
};

}  // namespace sanscope
