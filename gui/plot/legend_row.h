// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <vector>

#include "gui/plot/qcustomplot.h"
#include "gui/plot/theme.h"

namespace sanscope {

// A legend that runs from left to right, and on further lines where one is too short. Its entries may be switches.
class LegendRow : public QCPLayoutElement {
    Q_OBJECT

  public:
    using Icon = std::function<void(QPainter& painter, const Theme& theme, const QRectF& box)>;
    struct Entry {
        QString name;
        QString tip;                     // told when the pointer is over it
        Icon icon;                       // draws into a box of some 18 by 12 pixels
        bool* on = nullptr;              // switched by a click; nullptr: no switch
        std::function<void()> act = {};  // what a click on one that is no switch does; none: nothing
    };

    // `left`: pixels kept free before the first entry.
    LegendRow(QCustomPlot* plot, int left) : QCPLayoutElement(plot), left_(left) {}

    void set_entries(std::vector<Entry> entries);
    const std::vector<Entry>& entries() const { return entries_; }
    // Under a point of the plot; nullptr: none.
    const Entry* entry_at(QPointF point) const;

    QSize minimumOuterSizeHint() const override;
    QSize maximumOuterSizeHint() const override;
    void update(UpdatePhase phase) override;

  protected:
    void draw(QCPPainter* painter) override;

  private:
    void arrange(int width);

    int left_;
    int height_ = 0;
    std::vector<Entry> entries_;
    std::vector<QRect> places_;  // of entries_, from this row's corner
};

// Icons: a level line, a filled box, a mark for a loss.
LegendRow::Icon line_icon(QColor Theme::*color, int width = 1, Qt::PenStyle style = Qt::SolidLine);
LegendRow::Icon fill_icon(std::function<QColor(const Theme&)> color);
LegendRow::Icon loss_icon(LossKind kind);

}  // namespace sanscope
