// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QFontMetrics>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "gui/plot/text_scale.h"
#include "gui/plot/theme.h"
#include "gui/senders/sender_curve_painter.h"
#include "gui/views/layers/lanes/lane.h"

namespace sanscope {

constexpr double dimmed_strength = 0.55;   // of the colour of what is not selected
constexpr double filtered_strength = 0.2;  // of what the filter leaves out
// Pixels left of what is drawn along time, as wide as the overview's.
inline int layers_gutter() {
    return beside_text(170);
}

// Of one painting, whatever group.
struct LayersScene {
    const Theme& theme;
    TimeViewport viewport;
    PreparedRange prepared;
    const SelectedThings& selected;
    QFont font;
    int width = 0;
    int top = 0;  // nothing is drawn above
    int bottom = 0;
};

// Kept between paintings for the room of their lists.
struct LaneScratch {
    std::vector<QRect> rects;
    std::array<std::vector<QRect>, slowness_classes> rects_by_slowness;
    std::vector<QRect> failed;
    std::vector<double> values;
    SenderCurvePainter curves;
};

// What a lane knows while it is painted.
struct LanePainting {
    const LayersScene& scene;
    const GroupPicture& picture;
    const GroupShape& shape;
    const LanePlace& place;
    QFontMetrics metrics;
    LaneScratch& scratch;
    bool selected_here = false;  // something of this connection is
    bool dims = false;           // something is selected: all else is drawn weaker

    const Theme& theme() const { return scene.theme; }
    const TimeViewport& viewport() const { return scene.viewport; }
    double left_edge() const { return viewport().origin; }
    double right_edge() const { return viewport().origin + viewport().length; }
    QColor on_background(const QColor& color, double strength) const;
    double strength(bool is_faint, bool is_highlighted) const {
        return is_highlighted ? 1 : is_faint ? filtered_strength : dims ? dimmed_strength : 1;
    }
    // For text on a bar of that strength.
    const QColor& ink(double strength) const;
    bool highlighted(const CommandBar& bar) const {
        return selected_here && scene.selected.command == bar.number();
    }
    bool highlighted(const PduBar& bar) const {
        return selected_here && scene.selected.includes(Selection::Kind::pdu, bar.number());
    }
    bool highlighted(const PacketTick& tick) const {
        return selected_here && scene.selected.includes(Selection::Kind::packet, tick.packet);
    }
    bool highlighted(const LaneLoss& mark) const;
};

QColor mix(const QColor& from, const QColor& to, double share);
// Of a slowness_class(), from swift to slow.
QColor slowness_color(const Theme& theme, size_t slowness);
QColor pdu_color(const Theme& theme, uint8_t opcode);

void fill(QPainter& painter, const std::vector<QRect>& rects, const QColor& color);
// Of that height at least one pixel, standing on `foot`.
void add_column(std::vector<QRect>& rects, int left, int right, double foot, double high);
// What is drawn at full height, so that a few bursts do not press down all the rest: what is above is cut off. Puts the values
// into another order.
double full_scale(std::vector<double>& values);
// Of a column of text that may not fit: its width, roughly, without a look at each letter.
double rough_width(const QFontMetrics& metrics, const QString& text);
void draw_triangle(QPainter& painter, QPointF center, bool open, const QColor& color);

// Calls `visit(left, right, merged, ns)` for each stretch of whole pixels that columns in sight cover.
template <class Column, class Visit>
void over_pixels(const std::vector<Column>& columns, const PreparedRange& prepared,
                 const TimeViewport& viewport, Visit visit) {
    if (columns.empty()) return;
    const auto index_of = [&](int64_t time_ns) {
        const int64_t index = (time_ns - prepared.range.begin_ns) / prepared.ns_per_column;
        return static_cast<size_t>(std::clamp<int64_t>(index, 0, static_cast<int64_t>(columns.size())));
    };
    const size_t last = std::min(columns.size(), index_of(viewport.range.end_ns) + 1);
    const auto pixel = [&](size_t i) {
        return static_cast<int>(std::floor(viewport.x_of(prepared.column(i).begin_ns)));
    };
    for (size_t i = index_of(viewport.range.begin_ns); i < last;) {
        const int left = pixel(i);
        Column merged = columns[i];
        size_t next = i + 1;
        while (next < last && pixel(next) <= left) merged.add(columns[next++]);
        visit(left, std::max(left + 1, pixel(next)), merged,
              static_cast<double>(next - i) * static_cast<double>(prepared.ns_per_column));
        i = next;
    }
}

}  // namespace sanscope
