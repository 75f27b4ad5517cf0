// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "gui/plot/theme.h"
#include "gui/plot/time_viewport.h"
#include "gui/plot/wheel_steps.h"
#include "gui/view_engine/prepared_view.h"
#include "gui/views/overview/overview_picture.h"
#include "gui/views/overview/overview_window.h"

namespace sanscope {

// A moment worth finding again: a bookmark, a match.
struct OverviewMark {
    int64_t time_ns = 0;
    QString label;
};

// The whole capture in a strip: throughput stacked by direction, losses, the slowest commands; and the range looked at as a
// window that can be moved, resized and drawn anew.
class OverviewView : public PreparedView<OverviewPicture> {
    Q_OBJECT

  public:
    OverviewView(Document& document, QWidget* parent);

    void draw(QPainter& painter) override;
    QSize sizeHint() const override { return {900, 88}; }
    QSize minimumSizeHint() const override { return {240, 70}; }

    // Drawn as small flags along the upper edge, in order of time.
    void set_marks(std::vector<OverviewMark> marks);

    // Of all there is, along the strip.
    TimeViewport strip() const;

  protected:
    // Of the whole capture: how many columns there is room for is all that counts.
    bool wants_picture() const override { return true; }
    bool serves() const override { return picture().most_columns == most_columns(); }
    Preparation preparation() override;
    void on_picture(const OverviewPicture&) override {}
    void redraw() override { update(); }
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;

  private:
    const Theme& theme() const { return Theme::of(palette()); }
    QRect plot() const;
    QRect losses_area() const;
    size_t most_columns() const { return static_cast<size_t>(plot().width()); }
    void draw_traffic(QPainter& painter, const QRect& area);
    void draw_slowest(QPainter& painter, const QRect& area);
    void draw_losses(QPainter& painter, const QRect& area);
    void draw_marks(QPainter& painter, const QRect& area) const;
    void draw_axis(QPainter& painter, const QRect& area) const;
    void draw_window(QPainter& painter, const QRect& area) const;
    void draw_legend(QPainter& painter, const QRect& gutter) const;
    void show_tip(QPoint at, QPoint global);

    std::vector<OverviewMark> marks_;
    std::vector<QRectF> rects_;  // kept for its room
    std::vector<QRectF> more_rects_;
    std::vector<QRectF> unknown_rects_;

    OverviewWindow window_to_drag(TimeRange range) const;

    struct Drag {
        OverviewWindow::Part part;
        double from_x;
        TimeRange range;
        bool moved = false;
    };
    std::optional<Drag> drag_;
    WheelSteps wheel_steps_;
};

}  // namespace sanscope
