// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/layers/layers_painter.h"

#include <QCoreApplication>
#include <algorithm>

namespace sanscope {
namespace {

// Left of the lane: its name, its scale, its colours.
void draw_gutter(QPainter& painter, const LanePainting& painting, const Lane& lane, const QString& scale) {
    const LanePlace& place = painting.place;
    const Theme& theme = painting.theme();
    const int line = painting.metrics.height();
    painter.save();
    painter.setClipRect(QRect(0, place.top, layers_gutter(), place.height), Qt::IntersectClip);
    const QString hint = scale.isEmpty() ? lane.hint(painting.shape) : scale;
    const int top = place.top + (place.height < line + 4 ? (place.height - line) / 2 : 2);
    draw_triangle(painter, {13, top + line / 2.0}, !place.compact, theme.axis);
    painter.setPen(theme.text);
    painter.drawText(QRect(24, top, layers_gutter() - 26, line), Qt::AlignVCenter, lane.name());
    int y = top + line;
    if (!hint.isEmpty() && y + line <= place.top + place.height) {
        painter.setPen(theme.faint_text);
        painter.drawText(QRect(24, y, layers_gutter() - 26, line), Qt::AlignVCenter, hint);
        y += line;
    }
    lane.paint_legend(painter, painting, y);
    painter.restore();
    painter.setPen(theme.grid);
    painter.drawLine(layers_gutter() - 1, place.top, layers_gutter() - 1, place.top + place.height - 1);
}

}  // namespace

void LayersPainter::draw_background(QPainter& painter, const LayersScene& scene, const Group& group) const {
    const Theme& theme = scene.theme;
    painter.fillRect(QRect(0, group.top, scene.width, header_height()),
                     mix(theme.alternate_background, theme.grid, 0.6));
    bool other = false;
    const LanePlaces lanes = lanes_of(group.shape, group.opening);
    for (const LanePlace& lane : lanes.all()) {
        painter.fillRect(QRect(0, group.top + lane.top, scene.width, lane.height),
                         other ? theme.alternate_background : theme.background);
        other = !other;
    }
}

void LayersPainter::draw(QPainter& painter, const LayersScene& scene, const Group& group) {
    static const GroupPicture nothing;
    const GroupPicture& picture = group.picture != nullptr ? *group.picture : nothing;
    const bool any_selected = !scene.selected.packets.empty();
    const bool selected_here = any_selected && scene.selected.connection == group.shape.connection;
    painter.save();
    painter.setFont(scene.font);
    painter.translate(0, group.top);
    const LanePlaces lanes = lanes_of(group.shape, group.opening);
    for (const LanePlace& place : lanes.all()) {
        // Only what is in sight.
        if (group.top + place.top >= scene.bottom || group.top + place.top + place.height <= scene.top)
            continue;
        const LanePainting painting{scene,    picture,       group.shape, place, QFontMetrics(scene.font),
                                    scratch_, selected_here, any_selected};
        const Lane& lane = lane_of(place.kind);
        painter.save();
        const TimeViewport& time = scene.viewport;
        painter.setClipRect(QRectF(time.origin, place.top, time.length, place.height), Qt::IntersectClip);
        const QString scale = lane.paint(painter, painting);
        painter.restore();
        draw_gutter(painter, painting, lane, scale);
    }
    draw_header(painter, scene, group, picture);
    painter.restore();
}

// Behind the header of a group that is not opened.
void LayersPainter::draw_traffic(QPainter& painter, const LayersScene& scene, const GroupPicture& picture) {
    const auto spark = [&](const std::vector<TrafficColumn>& columns, double strength) {
        double most = 0;
        const auto rate = [](const TrafficColumn& column, double ns) {
            return static_cast<double>(column.payload[0] + column.payload[1]) / ns;
        };
        over_pixels(picture.traffic, scene.prepared, scene.viewport,
                    [&](int, int, const TrafficColumn& c, double ns) { most = std::max(most, rate(c, ns)); });
        if (most <= 0) return;
        scratch_.rects.clear();
        over_pixels(columns, scene.prepared, scene.viewport,
                    [&](int left, int right, const TrafficColumn& c, double ns) {
                        if (c.packets[0] + c.packets[1] == 0) return;
                        const double high = std::max(1.0, rate(c, ns) / most * (header_height() - 6));
                        add_column(scratch_.rects, left, right, header_height() - 2, high);
                    });
        fill(painter, scratch_.rects, mix(scene.theme.background, scene.theme.target, strength));
    };
    painter.save();
    painter.setClipRect(QRectF(scene.viewport.origin, 0, scene.viewport.length, header_height()),
                        Qt::IntersectClip);
    spark(picture.traffic, picture.passing_traffic.empty() ? 0.45 : filtered_strength);
    if (!picture.passing_traffic.empty()) spark(picture.passing_traffic, 0.45);
    painter.restore();
}

void LayersPainter::draw_header(QPainter& painter, const LayersScene& scene, const Group& group,
                                const GroupPicture& picture) {
    const Theme& theme = scene.theme;
    const QFontMetrics plain(scene.font);
    if (!group.opening.expanded) draw_traffic(painter, scene, picture);
    if (group.in_focus) painter.fillRect(0, 0, 3, header_height(), theme.initiator);
    draw_triangle(painter, {13, header_height() / 2.0}, group.opening.expanded, theme.text);
    QFont bold = scene.font;
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(theme.text);
    const QFontMetrics metrics(bold);
    const int room = scene.width - 30;
    const QString title = metrics.elidedText(picture.title, Qt::ElideMiddle, room);
    painter.drawText(QRect(24, 0, room, header_height()), Qt::AlignVCenter, title);
    const int wide = metrics.horizontalAdvance(title);
    if (!group.opening.expanded) {
        // So that it can be read before what is drawn along time.
        QColor veil = mix(theme.alternate_background, theme.grid, 0.6);
        veil.setAlphaF(0.72F);
        const int with_facts = wide + 24 + plain.horizontalAdvance(picture.facts);
        painter.fillRect(QRect(24, 1, std::min(room, with_facts), header_height() - 2), veil);
        painter.drawText(QRect(24, 0, room, header_height()), Qt::AlignVCenter, title);
    }
    painter.setFont(scene.font);
    painter.setPen(theme.faint_text);
    if (wide + 40 < room) {
        painter.drawText(QRect(24 + wide + 16, 0, room - wide - 16, header_height()), Qt::AlignVCenter,
                         plain.elidedText(picture.facts, Qt::ElideRight, room - wide - 16));
    }
    painter.setPen(theme.grid);
    painter.drawLine(0, header_height() - 1, scene.width, header_height() - 1);
}

void LayersPainter::draw_idle_line(QPainter& painter, const LayersScene& scene, int top, size_t idle,
                                   bool open) const {
    const Theme& theme = scene.theme;
    painter.save();
    painter.translate(0, top);
    painter.fillRect(0, 0, scene.width, header_height(), mix(theme.alternate_background, theme.grid, 0.6));
    draw_triangle(painter, {13, header_height() / 2.0}, open, theme.text);
    painter.setFont(scene.font);
    painter.setPen(theme.faint_text);
    const QString words = idle == 1
                              ? QCoreApplication::translate("LayersView", "1 idle connection")
                              : QCoreApplication::translate("LayersView", "%1 idle connections").arg(idle);
    painter.drawText(QRect(24, 0, scene.width - 30, header_height()), Qt::AlignVCenter, words);
    painter.setPen(theme.grid);
    painter.drawLine(0, header_height() - 1, scene.width, header_height() - 1);
    painter.restore();
}

}  // namespace sanscope
