// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plot/legend_row.h"

namespace sanscope {
namespace {

constexpr int icon_width = 18;
constexpr int icon_gap = 5;
constexpr int entry_gap = 16;

}  // namespace

void LegendRow::set_entries(std::vector<Entry> entries) {
    entries_ = std::move(entries);
    arrange(mRect.width());
}

void LegendRow::arrange(int width) {
    const QFontMetrics metrics(mParentPlot->font());
    const int line = metrics.height() + 4;
    places_.clear();
    int x = left_;
    int y = 0;
    for (const Entry& entry : entries_) {
        const int wide = icon_width + icon_gap + metrics.horizontalAdvance(entry.name);
        if (x > left_ && x + wide > width) {
            x = left_;
            y += line;
        }
        places_.emplace_back(x, y, wide, line);
        x += wide + entry_gap;
    }
    height_ = entries_.empty() ? 0 : y + line;
}

const LegendRow::Entry* LegendRow::entry_at(QPointF point) const {
    for (size_t i = 0; i < entries_.size(); ++i) {
        if (places_[i].translated(mRect.topLeft()).contains(point.toPoint())) return &entries_[i];
    }
    return nullptr;
}

void LegendRow::update(UpdatePhase phase) {
    QCPLayoutElement::update(phase);
    // The width is that of the last layout, and decides on the height.
    if (phase == upPreparation) arrange(mRect.width() > 1 ? mRect.width() : mParentPlot->viewport().width());
}

QSize LegendRow::minimumOuterSizeHint() const {
    return {0, height_};
}

QSize LegendRow::maximumOuterSizeHint() const {
    return {QWIDGETSIZE_MAX, height_};
}

void LegendRow::draw(QCPPainter* painter) {
    const Theme& theme = Theme::of(mParentPlot->palette());
    painter->setFont(mParentPlot->font());
    for (size_t i = 0; i < entries_.size(); ++i) {
        const Entry& entry = entries_[i];
        const QRect place = places_[i].translated(mRect.topLeft());
        const bool on = entry.on == nullptr || *entry.on;
        painter->save();
        painter->setAntialiasing(false);
        painter->setOpacity(on ? 1 : 0.3);
        if (entry.icon) {
            entry.icon(*painter, theme, QRectF(place.left(), place.center().y() - 6, icon_width, 12));
        }
        painter->restore();
        painter->setPen(on ? theme.text : theme.faint_text);
        QFont font = mParentPlot->font();
        font.setStrikeOut(!on);
        painter->setFont(font);
        painter->drawText(place.adjusted(icon_width + icon_gap, 0, 8, 0), Qt::AlignLeft | Qt::AlignVCenter,
                          entry.name);
    }
}

LegendRow::Icon line_icon(QColor Theme::*color, int width, Qt::PenStyle style) {
    return [=](QPainter& painter, const Theme& theme, const QRectF& box) {
        painter.setPen(QPen(theme.*color, width, style, Qt::FlatCap));
        const double y = std::floor(box.center().y());
        painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y));
    };
}

LegendRow::Icon fill_icon(std::function<QColor(const Theme&)> color) {
    return [color = std::move(color)](QPainter& painter, const Theme& theme, const QRectF& box) {
        painter.setPen(theme.axis);
        painter.setBrush(color(theme));
        painter.drawRect(box.adjusted(2, 1, -2, -1));
    };
}

LegendRow::Icon loss_icon(LossKind kind) {
    return [kind](QPainter& painter, const Theme& theme, const QRectF& box) {
        draw_loss_mark(painter, theme, kind, box.center(), 9);
    };
}

}  // namespace sanscope
