// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "gui/plot/time_canvas.h"
#include "gui/views/layers/layers_painter.h"

namespace sanscope {

class LayersView;

// What LayersView draws on, and what the mouse does there.
class LayersCanvas : public TimeCanvas {
    Q_OBJECT

  public:
    explicit LayersCanvas(LayersView& view);

    void draw(QPainter& painter);
    // Where groups are seen, below the time axis.
    QRect area() const;

    // What is under a point: a group and, if `lane`, a lane of it and what is there.
    struct Under {
        size_t group = 0;
        bool header = false;
        std::optional<LanePlace> lane;
        LaneHit hit;
    };
    std::optional<Under> under(QPoint at) const;
    bool is_idle_line(QPoint at) const;
    // What hover shows there; empty: nothing.
    QString words_at(QPoint at) const;

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool wheel_scrolls(QWheelEvent* event) override;
    void on_click(QPoint at, Qt::KeyboardModifiers keys) override;
    void on_double_click(QPoint at) override;
    void on_hover(std::optional<QPoint> at) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    LayersView& view_;
    LayersPainter painter_;
};

}  // namespace sanscope
