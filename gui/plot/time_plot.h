// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPoint>
#include <QRegion>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gui/plot/legend_row.h"
#include "gui/plot/qcustomplot.h"
#include "gui/plot/theme.h"
#include "gui/plot/time_gestures.h"
#include "gui/plot/time_viewport.h"
#include "gui/plot/value_ticks.h"

namespace sanscope {

class TimePlot;

// One of the rectangles of a plot: time (or something else) to the right, values upwards.
class PlotPane {
  public:
    // Draws into a pane from what was prepared. The painter is clipped to the pane and as it was for the one before: whoever
    // needs a pen, a brush, antialiasing, sets them.
    using Draw = std::function<void(QPainter& painter, const PlotPane& pane)>;

    QRect area() const { return rect_->rect(); }
    TimeViewport viewport() const;
    ValueScale scale() const;
    const Theme& theme() const;
    // Told as the value axis shows it.
    QString text_of(double value) const { return value_text(value, unit_); }

    void set_values(ValueRange range);
    void set_logarithmic(bool logarithmic);
    void set_unit(ValueUnit unit) { unit_ = unit; }
    void set_label(const QString& label) { label_ = label; }
    // Rows of equal height with names instead of values: value 0 is at the foot, one a row.
    void set_rows(const QStringList& names);
    int rows() const { return static_cast<int>(scale().upper); }
    // Of a row from the top, 0-based.
    QRectF row_area(int row) const;
    // In pixels; 0: none, the pane shares what is left with the others.
    void set_height(int pixels);
    // Above what was added before.
    void add(Draw draw);
    QCPAxis& value_axis() const { return *rect_->axis(QCPAxis::atLeft); }
    QCPAxis& key_axis() const { return *rect_->axis(QCPAxis::atBottom); }

  private:
    friend class TimePlot;
    TimePlot* plot_ = nullptr;
    QCPAxisRect* rect_ = nullptr;
    ValueUnit unit_ = ValueUnit::bytes;
    bool time_ = true;
    QString label_;
    bool ticks_ = true;
    int height_ = 0;
};

// Panes above each other on the common time axis, with the movements of TimeCanvas, the line of the moment under the pointer,
// legends and colours of the theme. What is in a pane is drawn by functions from prepared lists: QCustomPlot's own graphs
// visit all their points in every frame. It is drawn anew when it is painted next, so that behind another view it is not.
class TimePlot : public QCustomPlot {
    Q_OBJECT

  public:
    TimePlot(ViewState& state, QWidget* parent);

    // Small: a legend that had to wrap must not push the window apart.
    QSize minimumSizeHint() const override { return {160, 120}; }

    struct PaneOptions {
        QString label = {};
        ValueUnit unit = ValueUnit::bytes;
        bool value_ticks = true;
        int height = 0;      // pixels; 0: a share of what is left
        double stretch = 1;  // of that
    };
    // Below all there is. The lowest one of time carries the time axis. Owned by the plot.
    PlotPane& add_pane(const PaneOptions& options);
    // Right of a pane, with a key axis of its own; `width` is its share.
    PlotPane& add_side_pane(PlotPane& beside, const PaneOptions& options, double width);
    LegendRow& add_legend();
    // A pane that is not shown takes no room. The first pane of time always is.
    void set_shown(PlotPane& pane, bool shown);

    // Where time runs, by the panes' place; one pixel wide before the first layout.
    TimeViewport time_viewport() const;
    // The pane around a point; nullptr: none.
    PlotPane* pane_at(QPointF point) const;
    const Theme& theme() const { return Theme::of(palette()); }
    ViewState& state() const { return state_; }
    void redraw() {
        drawn_ = false;
        update();
    }
    // Draws it at its present size with lines as lines and text as text.
    void draw_into(QPainter& painter, QPointF at);
    // A friendly sentence across the panes; empty: none.
    void set_message(const QString& message);

  Q_SIGNALS:
    void clicked(QPoint at, Qt::KeyboardModifiers keys);
    void double_clicked(QPoint at);
    void hovered(std::optional<QPoint> at);
    void legend_switched();
    // The panes have another size: more or less is to be prepared.
    void arranged();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    friend class PlotPane;
    class Overlay;
    PlotPane& make_pane(const PaneOptions& options, bool time);
    void arrange();
    void apply_theme();
    void apply_range();
    void place_time_axis();
    const LegendRow::Entry* legend_entry_at(QPointF point) const;

    ViewState& state_;
    TimeGestures gestures_;
    std::vector<std::unique_ptr<PlotPane>> panes_;
    std::vector<LegendRow*> legends_;
    int rows_ = 0;
    int left_margin_ = 0;
    QString message_;
    bool drawn_ = false;  // what was asked for last is in the buffers
    QRegion overlaid_;    // outside of it nothing lies over the data
};

}  // namespace sanscope
