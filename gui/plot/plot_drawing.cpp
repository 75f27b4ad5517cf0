// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plot/plot_drawing.h"

namespace sanscope {

void StepDrawing::line(QPainter& painter, const PlotPane& pane, const StepSeries& series, const QColor& color,
                       int64_t until_ns, int width, Qt::PenStyle style) {
    step_lines(series, pane.viewport(), pane.scale(), until_ns, lines_);
    painter.setPen(QPen(color, width, style, Qt::FlatCap));
    painter.setBrush(Qt::NoBrush);
    painter.drawLines(lines_.data(), static_cast<int>(lines_.size()));
}

void StepDrawing::band(QPainter& painter, const PlotPane& pane, const StepSeries& low, const StepSeries& high,
                       const QColor& color, int64_t until_ns) {
    step_band(low, high, pane.viewport(), pane.scale(), until_ns, rectangles_);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawRects(rectangles_.data(), static_cast<int>(rectangles_.size()));
}

void draw_pane_title(QPainter& painter, const PlotPane& pane, const QString& title) {
    const QFontMetrics metrics(painter.font());
    const QRect place(pane.area().left() + 4, pane.area().top() + 1, metrics.horizontalAdvance(title) + 6,
                      metrics.height());
    QColor ground = pane.theme().background;
    ground.setAlphaF(0.75F);
    painter.fillRect(place, ground);
    painter.setPen(pane.theme().faint_text);
    painter.drawText(place, Qt::AlignCenter, title);
}

void draw_state_band(QPainter& painter, const TimeViewport& viewport, const QRectF& area,
                     const StateBand& band, const std::function<QColor(uint8_t)>& color_of,
                     const std::function<QString(uint8_t)>& name_of, const Theme& theme) {
    const double left = viewport.origin;
    const double right = viewport.origin + viewport.length;
    const QFontMetrics metrics(painter.font());
    const auto behind = [&](const auto& items) {
        return std::upper_bound(items.begin(), items.end(), viewport.range.begin_ns,
                                [](int64_t at, const auto& item) { return at < item.range.end_ns; });
    };
    for (auto span = behind(band.spans); span != band.spans.end(); ++span) {
        if (span->range.begin_ns >= viewport.range.end_ns) break;
        const double x0 = std::max(left, std::floor(viewport.x_of(span->range.begin_ns)));
        const double x1 = std::min(right, std::max(x0 + 1, std::floor(viewport.x_of(span->range.end_ns))));
        const QRectF box(x0, area.top(), x1 - x0, area.height());
        painter.fillRect(box, color_of(span->state));
        if (box.width() < 22 || box.height() < metrics.height() - 2) continue;
        const QString name = name_of(span->state);
        if (metrics.horizontalAdvance(name) + 8 > box.width()) continue;
        painter.setPen(theme.text);
        painter.drawText(box, Qt::AlignCenter, name);
    }
    for (auto column = behind(band.columns); column != band.columns.end(); ++column) {
        if (column->range.begin_ns >= viewport.range.end_ns) break;
        const double x0 = std::max(left, std::floor(viewport.x_of(column->range.begin_ns)));
        const double x1 = std::min(right, std::floor(viewport.x_of(column->range.end_ns)));
        if (x1 <= x0) continue;
        double bottom = area.bottom();
        double part = 0;
        for (size_t state = StateBand::most_states; state-- > 0;) {
            const auto share = static_cast<double>(column->share[state]);
            if (share <= 0) continue;
            part += share;
            // The rarer states stand at the foot, where two pixels of them are always seen.
            double top = area.bottom() - std::round(area.height() * std::min(part, 1.0));
            top = std::clamp(std::min(top, bottom - 2), area.top(), bottom);
            painter.fillRect(QRectF(x0, top, x1 - x0, bottom - top), color_of(static_cast<uint8_t>(state)));
            bottom = top;
        }
    }
}

}  // namespace sanscope
