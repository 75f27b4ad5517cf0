// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <optional>
#include <vector>

#include "gui/experimenting/experiment_picture.h"
#include "gui/plot/qcustomplot.h"

namespace sanscope {

// A figure of an experiment as it grows: a line through the medians, a point for each run. A click on a point marks and opens its
// run; ← and → go from point to point of a line, ↑ and ↓ from line to line, Enter opens.
class ExperimentFigure : public QCustomPlot {
    Q_OBJECT

  public:
    explicit ExperimentFigure(QWidget* parent = nullptr);

    QSize minimumSizeHint() const override { return {360, 220}; }
    // What was marked stays marked where its record is drawn.
    void set_picture(ExperimentPicture picture);
    const ExperimentPicture& picture() const { return picture_; }
    std::optional<size_t> marked() const;  // a record
    // Where a record's point is, in pixels; nothing where it is not drawn.
    std::optional<QPointF> place_of(size_t record) const;

  Q_SIGNALS:
    void run_marked(size_t record);
    void run_opened(size_t record);

  protected:
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;

  private:
    struct Place {
        size_t line = 0;
        size_t run = 0;
    };
    const PictureRun& run_at(Place place) const { return picture_.lines[place.line].runs[place.run]; }
    QPointF pixels_of(const PictureRun& run) const;
    std::optional<Place> nearest(QPointF to) const;
    void mark(Place place);
    void step(int along, int across);
    void fill();
    void say_why_empty();
    void draw_axis(QCPAxis& axis, const lab::AxisScale& scale, const QString& heading);
    void draw_mark();

    ExperimentPicture picture_;
    std::optional<Place> marked_;
    QCPGraph* ring_ = nullptr;
};

}  // namespace sanscope
