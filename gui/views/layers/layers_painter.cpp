// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/views/layers/layers_painter.h"

#include <QCoreApplication>
#include <QFontMetrics>
#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/plot/time_axis.h"

#include "analyzer/iscsi/bhs.h"
#include "analyzer/net/decoded_packet.h"
#include "analyzer/vocabulary/sender_names.h"

namespace sanscope {
namespace {

constexpr double dimmed = 0.55;  // what is not selected, of its colour
constexpr double faint = 0.2;    // what the filter leaves out
constexpr double closest_marks = 4;

QString tr(const char* text) {
    return QCoreApplication::translate("LayersView", text);
}

QColor mix(const QColor& from, const QColor& to, double share) {
    const auto part = [&](int a, int b) { return a + static_cast<int>(std::lround((b - a) * share)); };
    return {part(from.red(), to.red()), part(from.green(), to.green()), part(from.blue(), to.blue())};
}

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

void fill(QPainter& painter, const std::vector<QRect>& rects, const QColor& color) {
    if (rects.empty()) return;
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawRects(rects.data(), static_cast<int>(rects.size()));
}

// Of that height at least one pixel, standing on `foot`.
void add_column(std::vector<QRect>& rects, int left, int right, double foot, double high) {
    const int bottom = static_cast<int>(std::lround(foot));
    const int top = std::min(bottom - 1, static_cast<int>(std::lround(foot - high)));
    rects.emplace_back(left, top, right - left, bottom - top);
}

// What is drawn at full height, so that a few bursts do not press down all the rest: what is above is cut off. Puts the values
// into another order.
double full_scale(std::vector<double>& values) {
    if (values.empty()) return 0;
    const double greatest = *std::ranges::max_element(values);
    const auto near_top = values.begin() + static_cast<std::ptrdiff_t>(values.size() * 95 / 100);
    std::ranges::nth_element(values, near_top);
    return std::min(greatest, 2 * *near_top);
}

template <class Number>
bool among(const std::vector<Number>& sorted, Number number) {
    return std::binary_search(sorted.begin(), sorted.end(), number);
}

// Of a column of text that may not fit: its width, roughly, without a look at each letter.
double rough_width(const QFontMetrics& metrics, const QString& text) {
    return static_cast<double>(text.size()) * metrics.averageCharWidth() * 1.12;
}

void draw_triangle(QPainter& painter, QPointF center, bool open, const QColor& color) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    const QPointF down[] = {center + QPointF(-4, -2), center + QPointF(4, -2), center + QPointF(0, 3)};
    const QPointF right[] = {center + QPointF(-2, -4), center + QPointF(-2, 4), center + QPointF(3, 0)};
    painter.drawConvexPolygon(open ? down : right, 3);
    painter.restore();
}

}  // namespace

QColor slowness_color(const Theme& theme, size_t slowness) {
    const double slow = static_cast<double>(slowness) / (slowness_classes - 1);
    const QColor swift = mix(theme.background, theme.initiator, 0.4);
    return slow < 0.6 ? mix(swift, theme.in_flight, slow / 0.6)
                      : mix(theme.in_flight, theme.problem, (slow - 0.6) / 0.4);
}

QColor pdu_color(const Theme& theme, uint8_t opcode) {
    const QColor& side = is_from_target(opcode) ? theme.target : theme.initiator;
    switch (Opcode{opcode}) {
        case Opcode::scsi_data_in:
        case Opcode::scsi_data_out:
            return mix(theme.background, side, 0.6);
        case Opcode::scsi_command:
        case Opcode::scsi_response:
            return side;
        case Opcode::r2t:
            return theme.acknowledgement;
        case Opcode::reject:
        case Opcode::async_message:
        case Opcode::task_management_request:
        case Opcode::task_management_response:
            return theme.problem;
        default:
            return theme.other_command;
    }
}

struct LayersPainter::Look {
    const Scene& scene;
    const Group& group;
    const GroupPicture& picture;
    QFontMetrics metrics;
    bool selected_here = false;  // something of this connection is
    bool dims = false;           // and so, all else is drawn weaker

    const Theme& theme() const { return scene.theme; }
    const TimeViewport& viewport() const { return scene.viewport; }
    QColor on_background(const QColor& color, double strength) const {
        return mix(theme().background, color, strength);
    }
    double strength(bool is_faint, bool is_highlighted) const {
        return is_highlighted ? 1 : is_faint ? faint : dims ? dimmed : 1;
    }
    QRectF time_area(const LanePlace& lane) const {
        return {viewport().origin, lane.top + 0.0, viewport().length, lane.height + 0.0};
    }
    // For text on a bar of that strength.
    const QColor& ink(double strength) const {
        if (strength < 0.3) return theme().faint_text;
        if (!theme().dark) return theme().text;
        return strength < 0.7 ? theme().text : theme().background;
    }
    bool highlighted(const CommandBar& bar) const {
        return selected_here && scene.selected.command == bar.number();
    }
    bool highlighted(const PduBar& bar) const {
        return selected_here && among(scene.selected.pdus, bar.number());
    }
    bool highlighted(const PacketTick& tick) const {
        return selected_here && among(scene.selected.packets, tick.packet);
    }
    bool highlighted(const LaneLoss& mark) const {
        const Selection& selection = scene.selected.selection;
        return selection.kind == Selection::Kind::loss
                   ? selection.number == mark.number()
                   : selected_here && among(scene.selected.packets, static_cast<uint32_t>(mark.packet));
    }
};

void LayersPainter::draw_background(QPainter& painter, const Scene& scene, const Group& group) const {
    const Theme& theme = scene.theme;
    painter.fillRect(QRect(0, group.top, scene.width, header_height),
                     mix(theme.alternate_background, theme.grid, 0.6));
    bool other = false;
    const LanePlaces lanes = lanes_of(group.shape, group.opening);
    for (const LanePlace& lane : lanes.all()) {
        painter.fillRect(QRect(0, group.top + lane.top, scene.width, lane.height),
                         other ? theme.alternate_background : theme.background);
        other = !other;
    }
}

void LayersPainter::draw(QPainter& painter, const Scene& scene, const Group& group) {
    static const GroupPicture nothing;
    const GroupPicture& picture = group.picture != nullptr ? *group.picture : nothing;
    Look look{scene, group, picture, QFontMetrics(scene.font)};
    look.selected_here =
        scene.selected.connection == group.shape.connection && !scene.selected.packets.empty();
    look.dims = !scene.selected.packets.empty();
    painter.save();
    painter.setFont(scene.font);
    painter.translate(0, group.top);
    const LanePlaces lanes = lanes_of(group.shape, group.opening);
    for (const LanePlace& lane : lanes.all()) {
        // Only what is in sight.
        if (group.top + lane.top >= scene.bottom || group.top + lane.top + lane.height <= scene.top) continue;
        scale_.clear();
        painter.save();
        painter.setClipRect(look.time_area(lane), Qt::IntersectClip);
        switch (lane.kind) {
            case LaneKind::commands:
                draw_commands(painter, look, lane);
                break;
            case LaneKind::pdus_out:
            case LaneKind::pdus_in:
                draw_pdus(painter, look, lane, lane.kind == LaneKind::pdus_in ? 1 : 0);
                break;
            case LaneKind::tcp_out:
            case LaneKind::tcp_in:
                draw_tcp(painter, look, lane, lane.kind == LaneKind::tcp_in ? 1 : 0);
                break;
            case LaneKind::state_out:
            case LaneKind::state_in:
                draw_states(painter, look, lane, lane.kind == LaneKind::state_in ? 1 : 0);
                break;
            case LaneKind::packets:
                draw_packets(painter, look, lane);
                break;
        }
        painter.restore();
        draw_gutter(painter, look, lane);
    }
    draw_header(painter, look);
    painter.restore();
}

void LayersPainter::draw_header(QPainter& painter, const Look& look) {
    const Theme& theme = look.theme();
    const Scene& scene = look.scene;
    if (!look.group.opening.expanded) {
        const auto spark = [&](const std::vector<TrafficColumn>& columns, double strength) {
            double most = 0;
            const auto rate = [](const TrafficColumn& column, double ns) {
                return static_cast<double>(column.payload[0] + column.payload[1]) / ns;
            };
            over_pixels(
                look.picture.traffic, scene.prepared, look.viewport(),
                [&](int, int, const TrafficColumn& c, double ns) { most = std::max(most, rate(c, ns)); });
            if (most <= 0) return;
            rects_.clear();
            over_pixels(columns, scene.prepared, look.viewport(),
                        [&](int left, int right, const TrafficColumn& c, double ns) {
                            if (c.packets[0] + c.packets[1] == 0) return;
                            const double high = std::max(1.0, rate(c, ns) / most * (header_height - 6));
                            add_column(rects_, left, right, header_height - 2, high);
                        });
            fill(painter, rects_, look.on_background(theme.target, strength));
        };
        painter.save();
        painter.setClipRect(QRectF(look.viewport().origin, 0, look.viewport().length, header_height),
                            Qt::IntersectClip);
        spark(look.picture.traffic, look.picture.passing_traffic.empty() ? 0.45 : faint);
        if (!look.picture.passing_traffic.empty()) spark(look.picture.passing_traffic, 0.45);
        painter.restore();
    }
    if (look.group.in_focus) painter.fillRect(0, 0, 3, header_height, theme.initiator);
    draw_triangle(painter, {13, header_height / 2.0}, look.group.opening.expanded, theme.text);
    QFont bold = scene.font;
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(theme.text);
    const QFontMetrics metrics(bold);
    const int room = scene.width - 30;
    const QString title = metrics.elidedText(look.picture.title, Qt::ElideMiddle, room);
    painter.drawText(QRect(24, 0, room, header_height), Qt::AlignVCenter, title);
    const int wide = metrics.horizontalAdvance(title);
    if (!look.group.opening.expanded) {
        // So that it can be read before what is drawn along time.
        QColor veil = mix(theme.alternate_background, theme.grid, 0.6);
        veil.setAlphaF(0.72F);
        const int with_facts = wide + 24 + look.metrics.horizontalAdvance(look.picture.facts);
        painter.fillRect(QRect(24, 1, std::min(room, with_facts), header_height - 2), veil);
        painter.drawText(QRect(24, 0, room, header_height), Qt::AlignVCenter, title);
    }
    painter.setFont(scene.font);
    painter.setPen(theme.faint_text);
    if (wide + 40 < room) {
        painter.drawText(QRect(24 + wide + 16, 0, room - wide - 16, header_height), Qt::AlignVCenter,
                         look.metrics.elidedText(look.picture.facts, Qt::ElideRight, room - wide - 16));
    }
    painter.setPen(theme.grid);
    painter.drawLine(0, header_height - 1, scene.width, header_height - 1);
}

void LayersPainter::draw_gutter(QPainter& painter, const Look& look, const LanePlace& lane) const {
    const Theme& theme = look.theme();
    const GroupPicture& picture = look.picture;
    const int line = look.metrics.height();
    painter.save();
    painter.setClipRect(QRect(0, lane.top, gutter, lane.height), Qt::IntersectClip);
    QString name;
    QString more;
    switch (lane.kind) {
        case LaneKind::commands:
            name = tr("SCSI commands");
            more = tr("%1 at once at most").arg(look.group.shape.slots);
            break;
        case LaneKind::pdus_out:
            name = tr("iSCSI PDUs out");
            more = tr("to the target");
            break;
        case LaneKind::pdus_in:
            name = tr("iSCSI PDUs in");
            more = tr("to the initiator");
            break;
        case LaneKind::tcp_out:
            name = tr("TCP out");
            more = tr("segments, ACKs short");
            break;
        case LaneKind::tcp_in:
            name = tr("TCP in");
            more = tr("segments, ACKs short");
            break;
        case LaneKind::state_out:
            name = tr("TCP state, initiator");
            break;
        case LaneKind::state_in:
            name = tr("TCP state, target");
            break;
        case LaneKind::packets:
            name = tr("Packets");
            more = tr("out up, in down");
            break;
    }
    if (!scale_.isEmpty()) more = scale_;
    const int top = lane.top + (lane.height < line + 4 ? (lane.height - line) / 2 : 2);
    draw_triangle(painter, {13, top + line / 2.0}, !lane.compact, theme.axis);
    painter.setPen(theme.text);
    painter.drawText(QRect(24, top, gutter - 26, line), Qt::AlignVCenter, name);
    int y = top + line;
    const auto room_for_line = [&] { return y + line <= lane.top + lane.height; };
    if (!more.isEmpty() && room_for_line()) {
        painter.setPen(theme.faint_text);
        painter.drawText(QRect(24, y, gutter - 26, line), Qt::AlignVCenter, more);
        y += line;
    }
    if (lane.kind == LaneKind::commands && !picture.command_columns.empty()) {
        // The scale of the colours.
        constexpr int wide = 13;
        if (y + 8 + line <= lane.top + lane.height) {
            for (size_t i = 0; i < slowness_classes; ++i) {
                painter.fillRect(24 + static_cast<int>(i) * wide, y + 2, wide - 1, 6,
                                 slowness_color(theme, i));
            }
            painter.setPen(theme.faint_text);
            for (const auto& [slowness, text] :
                 {std::pair(1, "100 µs"), std::pair(5, "10 ms"), std::pair(9, "1 s")}) {
                painter.drawText(QRect(24 + slowness * wide - 30, y + 9, 60, line), Qt::AlignCenter,
                                 QString::fromUtf8(text));
            }
            y += 9 + line;
        }
    } else if (lane.kind == LaneKind::commands) {
        const struct {
            const QColor& color;
            QString text;
        } classes[] = {
            {theme.read, tr("read")}, {theme.write, tr("write")}, {theme.other_command, tr("other")}};
        if (room_for_line()) {
            int x = 24;
            for (const auto& of_class : classes) {
                painter.fillRect(x, y + line / 2 - 4, 8, 8, of_class.color);
                painter.setPen(theme.faint_text);
                painter.drawText(QRect(x + 11, y, gutter, line), Qt::AlignVCenter, of_class.text);
                x += 11 + look.metrics.horizontalAdvance(of_class.text) + 8;
            }
            y += line;
        }
        if (!lane.compact && look.group.shape.slots > most_slots) {
            painter.setPen(theme.faint_text);
            painter.drawText(QRect(24, lane.top + lane.height - line - 2, gutter - 26, line),
                             Qt::AlignVCenter,
                             tr("%1 more share this line").arg(look.group.shape.slots - most_slots));
        }
    }
    painter.restore();
    painter.setPen(theme.grid);
    painter.drawLine(gutter - 1, lane.top, gutter - 1, lane.top + lane.height - 1);
}

void LayersPainter::draw_commands(QPainter& painter, const Look& look, const LanePlace& lane) {
    const GroupPicture& picture = look.picture;
    if (!picture.command_columns.empty()) {
        const double strength = look.dims ? 0.6 : 1;
        draw_command_columns(painter, look, lane, picture.command_columns,
                             picture.passing_command_columns.empty() ? strength : faint);
        if (!picture.passing_command_columns.empty()) {
            draw_command_columns(painter, look, lane, picture.passing_command_columns, strength);
        }
        // What is selected stands out over the full height.
        for (const CommandBar& bar : picture.commands) {
            if (!look.highlighted(bar)) continue;
            const QRectF rect = rect_of(bar, look.group.shape, lane, look.viewport());
            const QRectF full(rect.left(), lane.top + 1, std::max(2.0, rect.width()), lane.height - 2);
            painter.fillRect(full, look.theme().selection_fill);
            painter.setPen(QPen(look.theme().selection, 1));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(full);
        }
        return;
    }
    for (const CommandBar& bar : picture.commands) {
        if (!look.highlighted(bar)) draw_command(painter, look, lane, bar);
    }
    for (const CommandBar& bar : picture.commands) {
        if (look.highlighted(bar)) draw_command(painter, look, lane, bar);
    }
}

void LayersPainter::draw_command(QPainter& painter, const Look& look, const LanePlace& lane,
                                 const CommandBar& bar) const {
    const Theme& theme = look.theme();
    const TimeViewport& viewport = look.viewport();
    const QRectF rect = rect_of(bar, look.group.shape, lane, viewport);
    if (rect.right() < viewport.origin || rect.left() > viewport.origin + viewport.length) return;
    const bool is_highlighted = look.highlighted(bar);
    const double strength = look.strength(bar.faint, is_highlighted);
    const QColor color = look.on_background(theme.command_color(bar.opcode), strength);
    if (rect.width() < 4) {
        painter.fillRect(rect, bar.bad ? look.on_background(theme.problem, strength) : color);
    } else {
        // Waiting is lighter than the data on their way.
        painter.fillRect(
            rect, look.on_background(theme.command_color(bar.opcode), strength * (theme.dark ? 0.72 : 0.5)));
        if (bar.first_data_ns != no_time && bar.last_data_ns != no_time) {
            const double from = std::clamp(viewport.x_of(bar.first_data_ns), rect.left(), rect.right() - 1);
            const double to =
                std::clamp(viewport.x_of(bar.last_data_ns), from + 1, std::max(from + 1, rect.right()));
            painter.fillRect(QRectF(from, rect.top(), to - from, rect.height()), color);
        }
        if (bar.end_ns == no_time) {
            QColor hatch = theme.problem;
            hatch.setAlphaF(static_cast<float>(0.7 * strength));
            painter.fillRect(rect, QBrush(hatch, Qt::BDiagPattern));
        }
        if (bar.bad) {
            // A notch at its end, as a torn-off corner.
            const double wide = std::min(9.0, rect.width());
            const QPointF notch[] = {rect.topRight() - QPointF(wide, 0), rect.topRight(), rect.bottomRight()};
            painter.setPen(Qt::NoPen);
            painter.setBrush(look.on_background(theme.problem, strength));
            painter.drawConvexPolygon(notch, 3);
            painter.fillRect(QRectF(rect.left(), rect.bottom() - 2, rect.width(), 2),
                             look.on_background(theme.problem, strength));
        }
    }
    if (is_highlighted) {
        painter.setPen(QPen(theme.selection, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect.adjusted(-0.5, -0.5, 0.5, 0.5));
    }
    // Where several share a line, names would cover each other.
    if (bar.label.isEmpty() || rect.height() + 2 < look.metrics.ascent() || bar.slot >= most_slots ||
        lane.compact)
        return;
    const double left = std::max(rect.left(), viewport.origin) + 3;
    const double room = std::min(rect.right(), viewport.origin + viewport.length) - left - 2;
    const bool full = rough_width(look.metrics, bar.label) <= room;
    const QString& label = full ? bar.label : bar.short_label;
    if (!full && rough_width(look.metrics, label) > room) return;
    painter.setPen(look.ink(strength));
    painter.drawText(QPointF(left, rect.center().y() + look.metrics.ascent() / 2.0 - 1), label);
}

// The mean number of commands under way, stacked by how slow they are, the slow ones on top; behind it the greatest number at
// once. Even the shortest stretch of a slow one can be seen.
void LayersPainter::draw_command_columns(QPainter& painter, const Look& look, const LanePlace& lane,
                                         const std::vector<CommandColumn>& columns, double strength) {
    const double full = lane.height - 5;
    const double of_one = full / std::max<uint16_t>(look.group.shape.slots, 1);
    const double foot = lane.top + lane.height - 1;
    rects_.clear();
    for (auto& rects : rects_by_slowness_) rects.clear();
    failed_.clear();
    over_pixels(columns, look.scene.prepared, look.viewport(),
                [&](int left, int right, const CommandColumn& column, double ns) {
                    if (column.most == 0) return;
                    add_column(rects_, left, right, foot, std::min(full, column.most * of_one));
                    double at = foot;
                    for (size_t i = 0; i < slowness_classes; ++i) {
                        if (column.busy_ns[i] == 0) continue;
                        const double high =
                            std::max(2.0, static_cast<double>(column.busy_ns[i]) / ns * of_one);
                        if (at - high < lane.top + 4) at = lane.top + 4 + high;
                        add_column(rects_by_slowness_[i], left, right, at, high);
                        at -= high;
                    }
                    if (column.bad > 0) failed_.emplace_back(left, lane.top, std::max(2, right - left), 4);
                });
    fill(painter, rects_, look.on_background(look.theme().initiator, strength * 0.18));
    for (size_t i = 0; i < slowness_classes; ++i) {
        fill(painter, rects_by_slowness_[i], look.on_background(slowness_color(look.theme(), i), strength));
    }
    fill(painter, failed_, look.on_background(look.theme().problem, strength));
}

void LayersPainter::draw_pdus(QPainter& painter, const Look& look, const LanePlace& lane, size_t direction) {
    const Theme& theme = look.theme();
    const GroupPicture& picture = look.picture;
    if (!picture.pdu_columns.empty()) {
        const double foot = lane.top + lane.height - 1;
        double most = 0;
        over_pixels(
            picture.pdu_columns, look.scene.prepared, look.viewport(),
            [&](int, int, const PduColumn& c, double ns) { most = std::max(most, c.pdus[direction] / ns); });
        if (most > 0) scale_ = tr("max %1/s").arg(short_count(most * 1e9));
        const auto columns = [&](const std::vector<PduColumn>& list, double strength) {
            rects_.clear();
            over_pixels(list, look.scene.prepared, look.viewport(),
                        [&](int left, int right, const PduColumn& c, double ns) {
                            if (c.pdus[direction] == 0) return;
                            const double high =
                                std::max(2.0, std::sqrt(c.pdus[direction] / ns / most) * (lane.height - 4));
                            add_column(rects_, left, right, foot, high);
                        });
            fill(painter, rects_,
                 look.on_background(direction == 0 ? theme.initiator : theme.target, strength));
        };
        const double strength = look.dims ? dimmed : 0.75;
        columns(picture.pdu_columns, picture.passing_pdu_columns.empty() ? strength : faint);
        if (!picture.passing_pdu_columns.empty()) columns(picture.passing_pdu_columns, strength);
    }
    const double left_edge = look.viewport().origin;
    const double right_edge = left_edge + look.viewport().length;
    for (const PduBar& bar : picture.pdus[direction]) {
        const QRectF rect = rect_of(bar, lane, look.viewport());
        if (rect.right() < left_edge || rect.left() > right_edge) continue;
        const bool is_highlighted = look.highlighted(bar);
        const double strength = look.strength(bar.faint, is_highlighted);
        painter.fillRect(rect, look.on_background(pdu_color(theme, bar.opcode), strength));
        if (bar.damaged) {
            painter.fillRect(QRectF(rect.left(), rect.bottom() - 2, rect.width(), 2),
                             look.on_background(theme.problem, strength));
        }
        if (rect.width() >= 4) {
            painter.fillRect(QRectF(rect.left(), rect.top(), 1, rect.height()), theme.background);
            if (is_highlighted) {
                painter.setPen(theme.selection);
                painter.setBrush(Qt::NoBrush);
                painter.drawRect(rect);
            }
        }
        if (bar.label.isEmpty() || lane.compact) continue;
        const double left = std::max(rect.left(), left_edge) + 3;
        const double room = std::min(rect.right(), right_edge) - left - 2;
        if (rough_width(look.metrics, bar.label) > room) continue;
        painter.setPen(look.ink(strength));
        painter.drawText(QPointF(left, rect.center().y() + look.metrics.ascent() / 2.0 - 1), bar.label);
    }
}

void LayersPainter::draw_tcp(QPainter& painter, const Look& look, const LanePlace& lane, size_t direction) {
    const Theme& theme = look.theme();
    const GroupPicture& picture = look.picture;
    const QColor& side = direction == 0 ? theme.initiator : theme.target;
    const double foot = lane.top + lane.height - 1;
    const double full = lane.height - loss_strip - 2;
    if (!picture.ticks_are_all) {
        values_.clear();
        over_pixels(picture.traffic, look.scene.prepared, look.viewport(),
                    [&](int, int, const TrafficColumn& c, double ns) {
                        if (c.payload[direction] > 0) {
                            values_.push_back(static_cast<double>(c.payload[direction]) / ns);
                        }
                    });
        const double most = full_scale(values_);
        const auto columns = [&](const std::vector<TrafficColumn>& list, double strength) {
            // Packets of any kind along the foot, on it what they carry.
            rects_.clear();
            over_pixels(list, look.scene.prepared, look.viewport(),
                        [&](int left, int right, const TrafficColumn& c, double) {
                            if (c.packets[direction] > 0)
                                rects_.emplace_back(left, foot - 3, right - left, 3);
                        });
            fill(painter, rects_, look.on_background(theme.acknowledgement, strength));
            rects_.clear();
            over_pixels(list, look.scene.prepared, look.viewport(),
                        [&](int left, int right, const TrafficColumn& c, double ns) {
                            if (c.payload[direction] == 0) return;
                            const double share =
                                std::min(1.0, static_cast<double>(c.payload[direction]) / ns / most);
                            const double high = std::max(2.0, share * full);
                            add_column(rects_, left, right, foot, high);
                        });
            fill(painter, rects_, look.on_background(side, strength));
        };
        const double strength = look.dims ? dimmed : 0.75;
        columns(picture.traffic, picture.passing_traffic.empty() ? strength : faint);
        if (!picture.passing_traffic.empty()) columns(picture.passing_traffic, strength);
        if (most > 0) {
            scale_ = tr("payload to %1/s").arg(short_bytes(most * 1e9));
        }
    }
    const uint32_t most = greatest_payload(picture);
    const double left_edge = look.viewport().origin - 2;
    const double right_edge = look.viewport().origin + look.viewport().length;
    double letters_from = left_edge;
    const auto segments = [&](bool highlighted_ones) {
        for (const PacketTick& tick : picture.ticks[direction]) {
            const bool is_highlighted = look.highlighted(tick);
            if (is_highlighted != highlighted_ones) continue;
            const QRectF rect = rect_of(tick, lane, most, look.viewport());
            if (rect.left() < left_edge || rect.left() > right_edge) continue;
            const bool handshake = (tick.flags & (tcp_syn | tcp_fin | tcp_rst)) != 0;
            const QColor& color = (tick.flags & tcp_rst) != 0 ? theme.problem
                                  : handshake                 ? theme.ssthresh
                                  : tick.payload > 0          ? side
                                                              : theme.acknowledgement;
            painter.fillRect(rect, look.on_background(color, look.strength(tick.faint, is_highlighted)));
            if (is_highlighted)
                painter.fillRect(QRectF(rect.left() - 1, rect.top() - 2, 3.5, 2), theme.selection);
            if (handshake && rect.left() >= letters_from) {
                letters_from = rect.left() + 12;
                painter.setPen(color);
                const QChar letter = QLatin1Char((tick.flags & tcp_rst) != 0   ? 'R'
                                                 : (tick.flags & tcp_syn) != 0 ? 'S'
                                                                               : 'F');
                painter.drawText(QPointF(rect.left() + 3, foot), QString(letter));
            }
        }
    };
    segments(false);
    if (look.selected_here) segments(true);
    std::array<double, loss_kinds> last_at;
    last_at.fill(-1e9);
    for (const LaneLoss& mark : picture.losses[direction]) {
        const QPointF center = center_of(mark, lane, look.viewport());
        if (center.x() < left_edge - 6 || center.x() > right_edge + 6) continue;
        double& last = last_at[static_cast<size_t>(mark.kind)];
        const bool is_highlighted = look.highlighted(mark);
        if (center.x() - last < closest_marks && !is_highlighted) continue;
        last = center.x();
        painter.setOpacity(look.strength(mark.faint, is_highlighted));
        if (is_highlighted)
            painter.fillRect(QRectF(center - QPointF(6, 5), center + QPointF(6, 5)), theme.selection_fill);
        draw_loss_mark(painter, theme, mark.kind, center);
    }
    painter.setOpacity(1);
}

void LayersPainter::draw_states(QPainter& painter, const Look& look, const LanePlace& lane,
                                size_t direction) const {
    const Theme& theme = look.theme();
    const double left_edge = look.viewport().origin;
    const double right_edge = left_edge + look.viewport().length;
    for (const StateSpan& span : look.picture.states[direction]) {
        const double left = std::clamp(look.viewport().x_of(span.begin_ns), left_edge, right_edge);
        const double right = std::clamp(look.viewport().x_of(span.end_ns), left_edge, right_edge);
        if (look.viewport().x_of(span.end_ns) < left_edge || left >= right_edge) continue;
        const QRectF rect(left, lane.top + 1, std::max(1.0, right - left), lane.height - 2);
        painter.fillRect(rect, theme.ca_color(span.state));
        const std::string_view name = ca_state_names[static_cast<size_t>(span.state)];
        if (lane.compact ||
            rect.width() < static_cast<double>(name.size()) * look.metrics.averageCharWidth() + 12)
            continue;
        painter.setPen(theme.text);
        painter.drawText(rect.adjusted(4, 0, -2, 0), Qt::AlignVCenter,
                         QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
    }
}

void LayersPainter::draw_packets(QPainter& painter, const Look& look, const LanePlace& lane) {
    const Theme& theme = look.theme();
    const GroupPicture& picture = look.picture;
    const double middle = lane.top + lane.height / 2.0;
    const double half = lane.height / 2.0 - 1;
    if (!picture.ticks_are_all) {
        double most = 0;
        over_pixels(picture.traffic, look.scene.prepared, look.viewport(),
                    [&](int, int, const TrafficColumn& c, double ns) {
                        most = std::max(most, std::max(c.packets[0], c.packets[1]) / ns);
                    });
        const auto columns = [&](const std::vector<TrafficColumn>& list, double strength) {
            for (size_t direction = 0; direction < 2; ++direction) {
                rects_.clear();
                over_pixels(list, look.scene.prepared, look.viewport(),
                            [&](int left, int right, const TrafficColumn& c, double ns) {
                                if (c.packets[direction] == 0) return;
                                const double high =
                                    std::max(1.0, std::sqrt(c.packets[direction] / ns / most) * half);
                                rects_.emplace_back(left, direction == 0 ? middle - high : middle,
                                                    right - left, high);
                            });
                fill(painter, rects_,
                     look.on_background(direction == 0 ? theme.initiator : theme.target, strength));
            }
        };
        const double strength = look.dims ? dimmed : 0.75;
        columns(picture.traffic, picture.passing_traffic.empty() ? strength : faint);
        if (!picture.passing_traffic.empty()) columns(picture.passing_traffic, strength);
        if (most > 0) scale_ = tr("max %1/s").arg(short_count(most * 1e9));
    }
    const uint32_t most = greatest_wire_length(picture);
    const double left_edge = look.viewport().origin - 2;
    const double right_edge = look.viewport().origin + look.viewport().length;
    for (size_t direction = 0; direction < 2; ++direction) {
        double free_from = left_edge;
        const auto& ticks = picture.ticks[direction];
        for (size_t i = 0; i < ticks.size(); ++i) {
            const PacketTick& tick = ticks[i];
            const QRectF rect = rect_of(tick, lane, most, look.viewport());
            if (rect.left() < left_edge || rect.left() > right_edge) continue;
            const bool is_highlighted = look.highlighted(tick);
            const double strength = look.strength(tick.faint, is_highlighted);
            painter.fillRect(rect,
                             look.on_background(direction == 0 ? theme.initiator : theme.target, strength));
            if (is_highlighted) painter.fillRect(QRectF(rect.left(), middle - 1, 3, 2), theme.selection);
            if (lane.compact || !picture.ticks_are_all || rect.left() < free_from) continue;
            // Its number, where there is room before the next one.
            const double next =
                i + 1 < ticks.size() ? look.viewport().x_of(ticks[i + 1].time_ns) : right_edge;
            const int digits = tick.packet < 10 ? 1 : static_cast<int>(std::log10(tick.packet)) + 1;
            const double wide = digits * look.metrics.horizontalAdvance(QLatin1Char('0')) + 6.0;
            if (next - rect.left() < wide) continue;
            free_from = rect.left() + wide;
            painter.setPen(strength < 0.3 ? theme.axis : theme.faint_text);
            painter.drawText(
                QPointF(rect.left() + 3, direction == 0 ? middle - 4 : middle + look.metrics.ascent() + 2),
                QString::number(tick.packet));
        }
    }
}

}  // namespace sanscope
