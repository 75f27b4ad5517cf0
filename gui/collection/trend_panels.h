// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>
#include <optional>
#include <vector>

#include "gui/plot/value_scale.h"

namespace sanscope {

class CollectionModel;

// Small multiples: a panel a folder, as of a host; a dot a capture, when it was taken against the turnaround that 99 of 100
// commands did not exceed. All panels have the same axes, so that they can be held against each other.
class TrendPanels : public QWidget {
    Q_OBJECT

  public:
    explicit TrendPanels(CollectionModel& model, QWidget* parent);

    // After the model has changed.
    void refresh();
    void select(std::optional<size_t> number);
    QSize minimumSizeHint() const override;

  Q_SIGNALS:
    void selected(size_t number);
    void activated(size_t number);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

  private:
    struct Panel {
        QString name;
        std::vector<size_t> captures;
        QRectF plot;  // where its dots are
    };
    void arrange();
    QPointF place_of(const Panel& panel, size_t number) const;
    std::optional<size_t> capture_at(QPointF at) const;
    void paint_axes(QPainter& painter, const Panel& panel, bool has_values, bool has_times) const;

    CollectionModel& model_;
    std::vector<Panel> all_;
    std::vector<Panel>
        panels_;  // those for which there is room: of the others, with the fewest captures, it is said how many
    size_t left_out_ = 0;
    size_t without_times_ = 0;  // captures of which no dot can be drawn
    int64_t begin_ns_ = 0;
    int64_t end_ns_ = 1;
    ValueScale values_;
    int columns_ = 1;
    std::optional<size_t> selected_;
};

}  // namespace sanscope
