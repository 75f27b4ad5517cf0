// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/turnaround/turnaround_drawing.h"

#include <algorithm>
#include <cmath>

namespace sanscope {
namespace {

QPointF place_of(const CommandDot& dot, const TimeViewport& view, const ValueScale& scale) {
    return {view.x_of(dot.time_ns), scale.y_of(static_cast<double>(std::max<int64_t>(dot.turnaround_ns, 1)))};
}

}  // namespace

double bin_edge(int bin, int bins_per_decade) {
    return std::pow(10.0, static_cast<double>(bin) / bins_per_decade);
}

const QColor& class_color(const Theme& theme, CommandClass kind) {
    return kind == CommandClass::read    ? theme.read
           : kind == CommandClass::write ? theme.write
                                         : theme.other_command;
}

void draw_command_dot(QPainter& painter, CommandClass kind, QPointF center, double radius) {
    switch (kind) {
        case CommandClass::read:
            painter.drawEllipse(center, radius, radius);
            break;
        case CommandClass::write:
            painter.drawRect(QRectF(center.x() - radius, center.y() - radius, 2 * radius, 2 * radius));
            break;
        case CommandClass::other:
            const std::array<QPointF, 3> triangle{center + QPointF(0, -radius * 1.2),
                                                  center + QPointF(radius * 1.1, radius),
                                                  center + QPointF(-radius * 1.1, radius)};
            painter.drawPolygon(triangle.data(), 3);
            break;
    }
}

void draw_failed(QPainter& painter, const Theme& theme, QPointF center) {
    painter.setPen(QPen(theme.problem, 1.6));
    painter.drawLine(center + QPointF(-4, -4), center + QPointF(4, 4));
    painter.drawLine(center + QPointF(-4, 4), center + QPointF(4, -4));
}

void draw_unanswered(QPainter& painter, const Theme& theme, CommandClass kind, QPointF center) {
    painter.setPen(QPen(class_color(theme, kind), 1.6));
    painter.setBrush(Qt::NoBrush);
    draw_command_dot(painter, kind, center, 4);
}

void draw_unanswered(QPainter& painter, const PlotPane& pane, const std::vector<UnansweredMark>& marks,
                     const std::array<bool, command_classes>& on, uint64_t selected_command) {
    const TimeViewport view = pane.viewport();
    const Theme& theme = pane.theme();
    painter.setRenderHint(QPainter::Antialiasing);
    for (const UnansweredMark& mark : marks) {
        if (!on[static_cast<size_t>(mark.kind)] || !view.range.contains(mark.time_ns)) continue;
        const QPointF center(view.x_of(mark.time_ns), pane.area().top() + unanswered_band / 2);
        if (mark.command == selected_command) {
            painter.setPen(QPen(theme.selection, 2));
            painter.setBrush(theme.selection_fill);
            painter.drawEllipse(center, 8, 8);
        }
        painter.setOpacity(mark.passes ? 1 : 0.25);
        draw_unanswered(painter, theme, mark.kind, center);
        painter.setOpacity(1);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

QImage density_image(const DensityGrid& grid, const Theme& theme) {
    if (grid.cells.empty() || grid.most == 0) return {};
    QImage image(static_cast<int>(grid.columns), static_cast<int>(grid.bins), QImage::Format_ARGB32);
    image.fill(Qt::transparent);
    const double most = std::log(1.0 + grid.most);
    for (size_t bin = 0; bin < grid.bins; ++bin) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(static_cast<int>(grid.bins - 1 - bin)));
        for (size_t column = 0; column < grid.columns; ++column) {
            const auto& counts = grid.at(column, bin);
            const uint32_t count = counts[0] + counts[1] + counts[2];
            if (count == 0) continue;
            // One command is to be seen, too.
            const double share = 0.3 + 0.7 * std::log(1.0 + count) / most;
            double red = 0;
            double green = 0;
            double blue = 0;
            for (size_t kind = 0; kind < command_classes; ++kind) {
                const QColor& color = class_color(theme, static_cast<CommandClass>(kind));
                const double weight = static_cast<double>(counts[kind]) / count;
                red += weight * color.red();
                green += weight * color.green();
                blue += weight * color.blue();
            }
            line[column] = qRgba(static_cast<int>(red), static_cast<int>(green), static_cast<int>(blue),
                                 static_cast<int>(255 * share));
        }
    }
    return image;
}

void draw_density(QPainter& painter, const PlotPane& pane, const DensityGrid& grid, const QImage& image) {
    if (image.isNull()) return;
    const TimeViewport view = pane.viewport();
    const ValueScale scale = pane.scale();
    const double left = view.x_of(grid.begin_ns);
    const double right = view.x_of(grid.begin_ns + static_cast<int64_t>(grid.columns) * grid.cell_ns);
    const double top =
        scale.y_of(bin_edge(grid.first_bin + static_cast<int>(grid.bins), DensityGrid::bins_per_decade));
    const double bottom = scale.y_of(bin_edge(grid.first_bin, DensityGrid::bins_per_decade));
    // The part in sight alone: not every device a picture is drawn to cuts it off.
    const QRectF whole(left, top, right - left, bottom - top);
    const QRectF part = whole.intersected(QRectF(pane.area()));
    const double per_x = image.width() / whole.width();
    const double per_y = image.height() / whole.height();
    painter.drawImage(part, image,
                      QRectF((part.left() - left) * per_x, (part.top() - top) * per_y, part.width() * per_x,
                             part.height() * per_y));
}

void draw_selected_dot(QPainter& painter, const PlotPane& pane, const CommandDot& dot) {
    const Theme& theme = pane.theme();
    const TimeViewport view = pane.viewport();
    if (!view.range.contains(dot.time_ns)) return;
    const QPointF center = place_of(dot, view, pane.scale());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.selection, 2));
    painter.setBrush(theme.selection_fill);
    painter.drawEllipse(center, 8, 8);
    painter.setPen(Qt::NoPen);
    painter.setBrush(class_color(theme, dot.kind));
    draw_command_dot(painter, dot.kind, center, 3.5);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

std::vector<PercentileLabel> percentile_labels(const TurnaroundStatistics& statistics,
                                               const ValueScale& scale, double height) {
    constexpr std::array<std::pair<double, const char*>, 4> marks{
        {{0.5, "p50"}, {0.9, "p90"}, {0.99, "p99"}, {0.999, "p99.9"}}};
    std::vector<PercentileLabel> labels;
    for (const auto& [fraction, name] : marks) {
        if (!statistics.all.turnaround.percentile_holds(fraction, statistics.all.untimed)) continue;
        const double y =
            std::round(scale.y_of(static_cast<double>(statistics.all.turnaround.percentile_ns(fraction))));
        if (!labels.empty() && y > labels.back().top - height - 1) {
            labels.back().top = std::min(labels.back().top, y);
            labels.back().text += QStringLiteral(", ") + QString::fromUtf8(name);
        } else {
            labels.push_back({y, QString::fromUtf8(name), {}});
        }
        labels.back().lines.push_back(y);
    }
    return labels;
}

// The percentiles of the table, by name.
void draw_percentiles(QPainter& painter, const PlotPane& pane, const TurnaroundStatistics& statistics,
                      const QFont& font) {
    const QRect area = pane.area();
    const Theme& theme = pane.theme();
    const QFontMetrics metrics(font);
    painter.setFont(font);
    for (const PercentileLabel& label : percentile_labels(statistics, pane.scale(), metrics.height())) {
        painter.setPen(QPen(theme.faint_text, 1, Qt::DotLine));
        for (const double y : label.lines)
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        const QString text =
            metrics.elidedText(label.text, Qt::ElideMiddle, static_cast<int>(area.width()) - 10);
        const double wide = metrics.horizontalAdvance(text);
        // Below the line where above it the pane ends.
        const double top = label.top - metrics.height() < area.top() ? label.lines.front() + 1
                                                                     : label.top - metrics.height() - 1;
        const QRectF place(area.right() - wide - 6, top, wide + 4, metrics.height());
        QColor ground = theme.background;
        ground.setAlphaF(0.75F);
        painter.fillRect(place, ground);
        painter.setPen(theme.faint_text);
        painter.drawText(place, Qt::AlignCenter, text);
    }
}

void draw_turnaround_histogram(QPainter& painter, const PlotPane& pane,
                               const TurnaroundStatistics& statistics, const QFont& font) {
    const Theme& theme = pane.theme();
    const ValueScale scale = pane.scale();
    const QRectF area = pane.area();
    const double whole = area.width() / most_share;
    uint64_t most = 0;
    uint64_t total = 0;
    for (const auto& counts : statistics.histogram) {
        const uint64_t count = counts[0] + counts[1] + counts[2];
        most = std::max(most, count);
        total += count;
    }
    if (most == 0) return;
    QPolygonF cumulative;
    uint64_t up_to = 0;
    for (size_t i = 0; i < statistics.histogram.size(); ++i) {
        const int bin = statistics.first_bin + static_cast<int>(i);
        const double bottom = std::round(scale.y_of(bin_edge(bin, TurnaroundStatistics::bins_per_decade)));
        const double top = std::round(scale.y_of(bin_edge(bin + 1, TurnaroundStatistics::bins_per_decade)));
        double left = area.left();
        if (i == 0) cumulative << QPointF(left, bottom);
        for (size_t kind = 0; kind < command_classes; ++kind) {
            const uint64_t count = statistics.histogram[i][kind];
            up_to += count;
            if (count == 0) continue;
            const double width =
                std::max(1.0, whole * 0.8 * static_cast<double>(count) / static_cast<double>(most));
            QColor color = class_color(theme, static_cast<CommandClass>(kind));
            color.setAlphaF(0.75F);
            painter.fillRect(QRectF(left, top, width, std::max(1.0, bottom - top - 1)), color);
            left += width;
        }
        cumulative << QPointF(area.left() + whole * static_cast<double>(up_to) / static_cast<double>(total),
                              top);
    }
    painter.setPen(QPen(theme.text, 1.2));
    painter.setBrush(Qt::NoBrush);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.drawPolyline(cumulative);
    painter.setRenderHint(QPainter::Antialiasing, false);
    draw_percentiles(painter, pane, statistics, font);
}

void DotDrawing::draw(QPainter& painter, const PlotPane& pane, const std::vector<CommandDot>& dots,
                      const std::array<bool, command_classes>& on) {
    const Theme& theme = pane.theme();
    const TimeViewport view = pane.viewport();
    const ValueScale scale = pane.scale();
    const auto before = [](const CommandDot& dot, int64_t at) { return dot.time_ns < at; };
    const auto first = std::lower_bound(dots.begin(), dots.end(), view.range.begin_ns, before);
    const auto last = std::lower_bound(first, dots.end(), view.range.end_ns, before);
    const bool shapes = last - first <= 700;
    for (auto& boxes : boxes_) boxes.clear();
    const auto place = [&](const CommandDot& dot) { return place_of(dot, view, scale); };
    painter.setPen(Qt::NoPen);
    if (shapes) painter.setRenderHint(QPainter::Antialiasing);
    for (auto dot = first; dot != last; ++dot) {
        const auto kind = static_cast<size_t>(dot->kind);
        if (!on[kind]) continue;
        const QPointF center = place(*dot);
        if (shapes) {
            QColor color = class_color(theme, dot->kind);
            if (!dot->passes) color.setAlphaF(0.18F);
            painter.setBrush(color);
            draw_command_dot(painter, dot->kind, center, 3);
        } else {
            boxes_[kind + (dot->passes ? 0 : command_classes)].emplace_back(std::round(center.x()) - 1,
                                                                            std::round(center.y()) - 1, 3, 3);
        }
    }
    for (size_t i = 0; i < boxes_.size(); ++i) {
        QColor color = class_color(theme, static_cast<CommandClass>(i % command_classes));
        color.setAlphaF(i < command_classes ? 0.8F : 0.15F);
        painter.setBrush(color);
        painter.drawRects(boxes_[i].data(), static_cast<int>(boxes_[i].size()));
    }
    painter.setRenderHint(QPainter::Antialiasing);
    for (auto dot = first; dot != last; ++dot) {
        if (dot->failed && dot->passes && on[static_cast<size_t>(dot->kind)]) {
            draw_failed(painter, theme, place(*dot));
        }
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

}  // namespace sanscope
