// SPDX-License-Identifier: GPL-3.0-or-later
// How the lines of time and what goes between them are drawn.
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "gui/plot/time_axis.h"
#include "gui/views/ladder/ladder_canvas.h"
#include "gui/views/ladder/ladder_words.h"

namespace sanscope {
namespace {

constexpr size_t widths = 4;
constexpr size_t tones = 4;              // solid, faint, and both dimmed
constexpr size_t most_with_heads = 400;  // arrows in sight
constexpr size_t most_dashed =
    160;  // beyond, what is estimated is drawn thin: dashes side by side would make blocks
constexpr double spill = 30;  // pixels beyond the area that are drawn, too

QColor with_alpha(QColor color, double alpha) {
    color.setAlphaF(static_cast<float>(alpha));
    return color;
}

size_t width_class(uint32_t length) {
    return length == 0 ? 0 : length < 512 ? 1 : length <= 4096 ? 2 : 3;
}

constexpr std::array<double, widths> pen_widths{1.0, 1.4, 2.2, 3.6};

// The stretches of a way, from 0 at its sender to 1, that are drawn full; the rest is estimated, and dashed.
std::pair<double, double> certain_part(const PathDelay& delay, Role sender) {
    if (!delay.measured) return {0, 1};
    const double tap = sender == Role::initiator ? delay.tap() : 1 - delay.tap();
    if (tap < 0.25) return {0, 0.64};
    if (tap > 0.75) return {0.36, 1};
    return {0.3, 0.7};
}

// With points, what is measured is drawn full, whichever way the far one's clock is off.
std::pair<double, double> certain_part(const LadderPicture& picture, const LadderArrow& arrow) {
    using Fate = LadderArrow::Fate;
    if (arrow.measured && arrow.fate != Fate::not_captured && arrow.fate != Fate::unclear) return {0, 1};
    if (picture.points && (arrow.fate == Fate::not_captured || arrow.fate == Fate::unclear)) return {0, 0};
    return certain_part(picture.delay, arrow.sender);
}

void draw_cross(QPainter& painter, QPointF at, double arm, const QColor& color) {
    painter.setPen(QPen(color, 2.2, Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(at - QPointF(arm, arm), at + QPointF(arm, arm));
    painter.drawLine(at - QPointF(arm, -arm), at + QPointF(arm, -arm));
}

}  // namespace

void LadderCanvas::draw(QPainter& painter) {
    const LadderLayout layout = layout_now();
    painter.fillRect(rect(), theme().background);
    const bool drawable = picture_->has_track && !state().range().empty();
    if (!drawable) {
        painter.setPen(theme().faint_text);
        painter.drawText(rect().adjusted(20, 20, -20, -20), Qt::AlignCenter | Qt::TextWordWrap, empty_text_);
        return;
    }
    const LadderGeometry geometry = geometry_now();
    const int right = layout.curves.width() > 0 ? layout.curves.right() : layout.band.right();
    draw_time_grid(painter, QRect(layout.ladder.topLeft(), QPoint(right, layout.ladder.bottom())));
    painter.save();
    painter.setClipRect(layout.ladder);
    if (picture_->detail == LadderDetail::density) draw_density(painter, layout);
    painter.setRenderHint(QPainter::Antialiasing);
    if (picture_->detail == LadderDetail::pdus) draw_pdus(painter, geometry);
    if (picture_->detail == LadderDetail::commands) draw_commands(painter, geometry);
    draw_lifelines(painter, layout);
    draw_arrows(painter, geometry);
    draw_links(painter, geometry);
    draw_arrow_labels(painter, geometry);
    draw_folded_losses(painter, geometry);
    draw_tags(painter, layout, geometry);
    draw_clock_band(painter, layout);
    painter.restore();
    draw_states(painter, layout);
    draw_curves(painter, layout);
    draw_header(painter, layout);
    draw_time_axis(painter, layout.axis, state().whole().begin_ns);
}

void LadderCanvas::draw_lines(QPainter& painter, const std::vector<QLineF>& lines, double width,
                              const QColor& color) const {
    if (raster_) {
        for (const QLineF& line : lines) raster_->line(line, width, color);
    } else {
        painter.setPen(QPen(color, width, Qt::SolidLine, Qt::FlatCap));
        painter.drawLines(lines.data(), static_cast<int>(lines.size()));
    }
}

void LadderCanvas::draw_line(QPainter& painter, const QLineF& line, double width, const QColor& color) const {
    if (raster_) {
        raster_->line(line, width, color);
    } else {
        painter.setPen(QPen(color, width, Qt::SolidLine, Qt::FlatCap));
        painter.drawLine(line);
    }
}

void LadderCanvas::draw_band(QPainter& painter, const QLineF& first, const QLineF& last,
                             const QColor& color) const {
    if (raster_) {
        raster_->fill(first, last, color);
        return;
    }
    // What would lie far outside is cut, which no painter likes to do with great numbers.
    const auto point = [](QPointF at) { return QPointF(at.x(), std::clamp(at.y(), -32000.0, 32000.0)); };
    const QPointF corners[4] = {point(first.p1()), point(first.p2()), point(last.p2()), point(last.p1())};
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawConvexPolygon(corners, 4);
}

void LadderCanvas::draw_lifelines(QPainter& painter, const LadderLayout& layout) const {
    const PathDelay& delay = picture_->delay;
    const TimeViewport view = viewport();
    const double top = layout.ladder.top();
    const double bottom = layout.ladder.bottom() + 1;
    const bool known = !picture_->life.empty();
    const double begin = known ? std::clamp(view.x_of(picture_->life.begin_ns), top, bottom) : top;
    const double end = known ? std::clamp(view.x_of(picture_->life.end_ns), top, bottom) : bottom;
    const auto line = [&](double x, const QColor& color, bool estimated) {
        // Faint while there is no connection.
        painter.setPen(QPen(theme().grid, 1.6));
        painter.drawLine(QPointF(x, top), QPointF(x, bottom));
        painter.setPen(QPen(color, 1.6, estimated ? Qt::DashLine : Qt::SolidLine));
        painter.drawLine(QPointF(x, begin), QPointF(x, end));
    };
    const bool both_ends = picture_->points && picture_->points->known == LadderPoints::Known::both_ends;
    line(layout.x_initiator, theme().initiator, !both_ends && delay.to_initiator_ns > 0);
    line(layout.x_target, theme().target, !both_ends && delay.to_target_ns > 0);
}

void LadderCanvas::draw_header(QPainter& painter, const LadderLayout& layout) const {
    const QFontMetrics metrics(painter.font());
    const PathDelay& delay = picture_->delay;
    const double middle = (layout.x_initiator + layout.x_target) / 2;
    const auto title = [&](double x, const QColor& color, const QString& name, const QString& address,
                           const QString& place) {
        // Wide enough for an address, as far as neither the other title nor the edge is in the way.
        const double half = std::max(30.0, std::min(middle - layout.x_initiator - 6, 160 * text_scale()));
        double left = x - half;
        double right = x + half;
        if (x < middle) left = std::max<double>(left, 2);
        if (x > middle) right = std::min<double>(right, layout.ladder.right());
        const QRectF box(left, 4, right - left, LadderLayout::header() - 6);
        QFont bold = painter.font();
        bold.setBold(true);
        painter.save();
        painter.setFont(bold);
        painter.setPen(color);
        const QString words = place.isEmpty() ? name : QStringLiteral("%1 (%2)").arg(name, place);
        const bool fits = QFontMetricsF(bold).horizontalAdvance(words) <= box.width();
        painter.drawText(box, Qt::AlignHCenter | Qt::AlignTop, fits ? words : name);
        painter.restore();
        painter.setPen(theme().faint_text);
        painter.drawText(QRectF(box.left(), 4 + metrics.height(), box.width(), metrics.height()),
                         Qt::AlignHCenter | Qt::AlignTop,
                         metrics.elidedText(address, Qt::ElideMiddle, static_cast<int>(box.width())));
    };
    const bool iscsi = picture_->iscsi;
    const auto place_of = [&](Role role) {
        const std::optional<LadderPoints>& points = picture_->points;
        if (points && points->known == LadderPoints::Known::both_ends)
            return tr("at %1").arg(points->at(role));
        const Vantage vantage = role == Role::initiator ? Vantage::initiator : Vantage::target;
        return delay.vantage == vantage ? tr("captured here") : QString();
    };
    title(layout.x_initiator, theme().initiator, iscsi ? tr("Initiator") : tr("Client"), picture_->initiator,
          place_of(Role::initiator));
    title(layout.x_target, theme().target, iscsi ? tr("Target") : tr("Server"), picture_->target,
          place_of(Role::target));
    QString detail;
    switch (picture_->detail) {
        case LadderDetail::packets:
            detail = tr("packets");
            break;
        case LadderDetail::pdus:
            detail = tr("PDUs");
            break;
        case LadderDetail::commands:
            detail = tr("commands");
            break;
        case LadderDetail::density:
        case LadderDetail::automatic:
            detail = tr("density of packets: zoom in for single ones");
            break;
    }
    const double room = layout.x_target - layout.x_initiator - beside_text(340);
    if (metrics.horizontalAdvance(detail) <= room) {
        painter.setPen(theme().faint_text);
        painter.drawText(QRectF(middle - room / 2, 4, room, metrics.height()), Qt::AlignHCenter, detail);
        if (picture_->detail == LadderDetail::commands) {
            const std::pair<QString, QColor> kinds[3] = {{tr("read"), theme().read},
                                                         {tr("write"), theme().write},
                                                         {tr("other"), theme().other_command}};
            double wide = 0;
            for (const auto& [name, color] : kinds) wide += metrics.horizontalAdvance(name) + 9;
            double at = middle - (wide - 9) / 2;
            for (const auto& [name, color] : kinds) {
                painter.setPen(color);
                painter.drawText(QPointF(at, 4 + metrics.height() + metrics.ascent()), name);
                at += metrics.horizontalAdvance(name) + 9;
            }
        }
    }
    painter.setPen(theme().axis);
    painter.drawLine(layout.axis.width(), LadderLayout::header() - 1, width(), LadderLayout::header() - 1);
}

// Every pixel of the ladder holds the packets that pass there then: those that were at the tap before or after by the way
// between. Shades are strongest at the sender, so that the directions can be distinguished.
void LadderCanvas::draw_density(QPainter& painter, const LadderLayout& layout) const {
    if (picture_->densest == 0) return;
    const TimeViewport view = viewport();
    const int columns = std::max(2, static_cast<int>(layout.x_target - layout.x_initiator) / 10);
    const int rows = layout.ladder.height();
    QImage image(columns, rows, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    const PathDelay& delay = picture_->delay;
    const double way_ns = static_cast<double>(delay.one_way_ns());
    const auto row_ns = static_cast<double>(picture_->density_row_ns);
    const auto begin_ns = static_cast<double>(view.range.begin_ns - picture_->prepared.range.begin_ns);
    const auto size = static_cast<int64_t>(picture_->density.size());
    // Of a root's: few packets are to be seen beside many.
    std::vector<float> shades[2];
    for (const size_t direction : {size_t{0}, size_t{1}}) {
        shades[direction].reserve(picture_->density.size());
        for (const LadderDensityRow& row : picture_->density) {
            const uint32_t packets = row.packets[direction];
            shades[direction].push_back(
                packets == 0 ? 0
                             : 0.15F + 0.75F * std::sqrt(static_cast<float>(packets) /
                                                         static_cast<float>(picture_->densest)));
        }
    }
    const QColor colors[2] = {theme().initiator, theme().target};
    for (int y = 0; y < rows; ++y) {
        auto* pixels = reinterpret_cast<QRgb*>(image.scanLine(y));
        const double time_ns = begin_ns + (y + 0.5) * view.ns_per_pixel();
        for (int x = 0; x < columns; ++x) {
            const double along = (x + 0.5) / columns;
            float red = 0;
            float green = 0;
            float blue = 0;
            float alpha = 0;
            for (const size_t direction : {size_t{0}, size_t{1}}) {
                const double behind_ns =
                    way_ns * (direction == 0 ? along - delay.tap() : delay.tap() - along);
                const auto row = static_cast<int64_t>(std::floor((time_ns - behind_ns) / row_ns));
                if (row < 0 || row >= size) continue;
                const auto fade = static_cast<float>(direction == 0 ? 1 - 0.85 * along : 0.15 + 0.85 * along);
                const float shade = shades[direction][static_cast<size_t>(row)] * fade;
                red += shade * static_cast<float>(colors[direction].red());
                green += shade * static_cast<float>(colors[direction].green());
                blue += shade * static_cast<float>(colors[direction].blue());
                alpha += shade * 255;
            }
            const float most = std::max(1.0F, alpha / 255);
            const auto part = [&](float value) { return static_cast<int>(value / most); };
            pixels[x] = qRgba(part(red), part(green), part(blue), part(alpha));
        }
    }
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    painter.drawImage(
        QRectF(layout.x_initiator, layout.ladder.top(), layout.x_target - layout.x_initiator, rows), image);
}

void LadderCanvas::draw_pdus(QPainter& painter, const LadderGeometry& geometry) {
    const double top = geometry.view.origin - spill;
    const double bottom = geometry.view.origin + geometry.view.length + spill;
    for (size_t i = 0; i < picture_->pdus.size(); ++i) {
        const LadderPdu& pdu = picture_->pdus[i];
        const QLineF first = geometry.line(pdu.first, pdu.sender);
        const QLineF last = geometry.line(pdu.last, pdu.sender);
        if (std::max(last.y1(), last.y2()) < top || std::min(first.y1(), first.y2()) > bottom) continue;
        const bool highlighted = !highlighted_pdus_.empty() && highlighted_pdus_[i] != 0;
        const double strength = highlighted ? 1.0 : dims_ || !pdu.passes ? 0.25 : 0.75;
        const QColor color = pdu.damaged                     ? theme().problem
                             : pdu.sender == Role::initiator ? theme().initiator
                                                             : theme().target;
        draw_band(painter, first, last, with_alpha(color, strength * (pdu.data_length > 0 ? 0.34 : 0.5)));
        const auto edge = [&](const QLineF& line) {
            const auto [from, to] = part_between(line, top, bottom);
            if (from > to) return;
            draw_line(painter, QLineF(line.pointAt(from), line.pointAt(to)), highlighted ? 2.2 : 1,
                      with_alpha(color, strength));
        };
        edge(first);
        if (pdu.completed && pdu.last != pdu.first) edge(last);
    }
}

void LadderCanvas::draw_commands(QPainter& painter, const LadderGeometry& geometry) {
    const double top = geometry.view.origin - spill;
    const double bottom = geometry.view.origin + geometry.view.length + spill;
    const double lane = lane_width();
    constexpr size_t most_at_once = 40;
    const bool crowded = picture_->lanes > most_at_once;
    for (size_t i = 0; i < picture_->commands.size(); ++i) {
        const LadderCommand& command = picture_->commands[i];
        const double begin = geometry.y(command.begin_ns);
        const double end = geometry.y(command.end_ns);
        if (end < top || begin > bottom) continue;
        const bool highlighted = !highlighted_commands_.empty() && highlighted_commands_[i] != 0;
        const double strength = highlighted ? 1.0 : dims_ || !command.passes ? 0.2 : 0.85;
        const QColor color =
            with_alpha(command.failed ? theme().problem : theme().command_color(command.opcode), strength);
        const auto way = [&](const PacketTransit& transit, Role sender, double width, const QColor& pen) {
            const QLineF line = geometry.line(transit, sender);
            const auto [from, to] = part_between(line, top, bottom);
            if (from <= to) draw_line(painter, QLineF(line.pointAt(from), line.pointAt(to)), width, pen);
        };
        if (command.has_data) {
            // Many at once would cover each other.
            if (highlighted || !crowded) {
                draw_band(painter, geometry.line(command.first_data, command.data_sender),
                          geometry.line(command.last_data, command.data_sender),
                          with_alpha(color, strength * 0.25));
            }
            way(command.first_data, command.data_sender, 1, with_alpha(color, strength * 0.6));
            way(command.last_data, command.data_sender, 1, with_alpha(color, strength * 0.6));
        }
        const auto arrow = [&](const PacketTransit& transit, Role sender) {
            way(transit, sender, highlighted ? 2.4 : 1.3, color);
        };
        if (command.has_request) arrow(command.request, Role::initiator);
        if (command.has_response) arrow(command.response, Role::target);
        const double x = lane_x(geometry, command.lane, lane);
        const double to = std::min(end, bottom);
        draw_line(painter, QLineF(x, std::max(begin, top), x, to),
                  highlighted ? std::min(3.5, lane) : std::min(2.0, lane * 0.7),
                  command.ended ? color : with_alpha(color, strength * 0.5));
        if (begin >= top) draw_line(painter, QLineF(x, begin, geometry.x_initiator, begin), 1, color);
        if (command.ended && end <= bottom)
            draw_line(painter, QLineF(x, end, geometry.x_initiator, end), 1, color);
    }
}

void LadderCanvas::draw_links(QPainter& painter, const LadderGeometry& geometry) const {
    const double top = geometry.view.origin - spill;
    const double bottom = geometry.view.origin + geometry.view.length + spill;
    // What begins and ends out of sight is a line without a meaning here.
    const auto in_sight = [range = geometry.view.range](const LadderLink& link) {
        return range.contains(link.original.left_ns) || range.contains(link.again_ns);
    };
    constexpr double few = 30;
    const auto links = static_cast<double>(std::ranges::count_if(picture_->links, in_sight));
    const double strength = std::max(0.12, 0.7 * std::min(1.0, few / std::max(1.0, links)));
    for (const LadderLink& link : picture_->links) {
        if (!in_sight(link)) continue;
        const QPointF from = geometry.line(link.original, link.sender).pointAt(0.5);
        const QLineF line(from, QPointF(geometry.x_sender(link.sender), geometry.y(link.again_ns)));
        const auto [begin, end] = part_between(line, top, bottom);
        if (begin > end) continue;
        painter.setPen(
            QPen(with_alpha(theme().loss_color(link.kind), dims_ ? strength / 3 : strength), 1, Qt::DotLine));
        painter.drawLine(QLineF(line.pointAt(begin), line.pointAt(end)));
    }
}

void LadderCanvas::draw_arrows(QPainter& painter, const LadderGeometry& geometry) {
    const double top = geometry.view.origin - spill;
    const double bottom = geometry.view.origin + geometry.view.length + spill;
    for (auto& bucket : buckets_) bucket.clear();
    size_t in_sight = 0;
    for (const LadderArrow& arrow : picture_->arrows) {
        const auto [from, to] = part_between(geometry.line(arrow.transit, arrow.sender), top, bottom);
        if (from <= to) ++in_sight;
    }
    const bool dashed = in_sight <= most_dashed;
    const auto bucket_of = [](Role sender, size_t width, size_t tone) {
        return ((index_of(sender)) * widths + width) * tones + tone;
    };
    const auto is_highlighted = [&](size_t i) {
        return !highlighted_arrows_.empty() && highlighted_arrows_[i] != 0;
    };
    const auto is_plain = [&](size_t i) {
        const LadderArrow& arrow = picture_->arrows[i];
        return arrow.fate == LadderArrow::Fate::arrived && arrow.loss == 0 && arrow.lost_bytes == 0 &&
               !is_highlighted(i);
    };
    for (size_t i = 0; i < picture_->arrows.size(); ++i) {
        const LadderArrow& arrow = picture_->arrows[i];
        const QLineF line = geometry.line(arrow.transit, arrow.sender);
        const auto [from, to] = part_between(line, top, bottom);
        if (from > to || !is_plain(i)) continue;
        const size_t dim = dims_ || !arrow.passes ? 2 : 0;
        const size_t width = width_class(arrow.length);
        const auto add = [&, from = from, to = to](double begin, double end, size_t tone) {
            begin = std::max(begin, from);
            end = std::min(end, to);
            if (begin < end) {
                buckets_[bucket_of(arrow.sender, width, tone + dim)].emplace_back(line.pointAt(begin),
                                                                                  line.pointAt(end));
            }
        };
        const auto [certain_from, certain_to] = certain_part(*picture_, arrow);
        add(certain_from, certain_to, 0);
        if (!dashed) {
            add(0, certain_from, 1);
            add(certain_to, 1, 1);
            continue;
        }
        constexpr int dashes = 5;
        for (int dash = 0; dash < dashes; ++dash) {
            const double begin = (dash + 0.35) / dashes;
            const double end = (dash + 1.0) / dashes;
            if (certain_from > 0) add(certain_from * (1 - end), certain_from * (1 - begin), 1);
            if (certain_to < 1)
                add(certain_to + (1 - certain_to) * begin, certain_to + (1 - certain_to) * end, 1);
        }
    }
    const bool with_heads = in_sight <= most_with_heads;
    const bool crowded = !with_heads;
    constexpr std::array<double, tones> alphas{0.85, 0.45, 0.22, 0.13};
    for (const Role sender : {Role::target, Role::initiator}) {
        const QColor& color = sender == Role::initiator ? theme().initiator : theme().target;
        for (size_t width = 0; width < widths; ++width) {
            for (size_t tone = 0; tone < tones; ++tone) {
                const auto& bucket = buckets_[bucket_of(sender, width, tone)];
                if (bucket.empty()) continue;
                const double full = crowded ? std::min(1.3, pen_widths[width]) : pen_widths[width];
                const double pen_width = !dashed && tone % 2 == 1 ? 1 : full;
                draw_lines(painter, bucket, pen_width,
                           with_alpha(color, alphas[tone] * (width == 0 ? 0.8 : 1)));
            }
        }
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    for (size_t i = 0; with_heads && i < picture_->arrows.size(); ++i) {
        const LadderArrow& arrow = picture_->arrows[i];
        if (way_of(arrow.fate) < 1) continue;
        const QLineF line = geometry.line(arrow.transit, arrow.sender);
        if (line.y2() < top || line.y2() > bottom) continue;
        const bool repeated = arrow.loss != 0;
        const bool faint = (dims_ && !is_highlighted(i)) || !arrow.passes;
        QColor color = repeated                          ? theme().loss_color(arrow.kind)
                       : arrow.sender == Role::initiator ? theme().initiator
                                                         : theme().target;
        const bool estimated =
            !arrow.measured && (arrow.sender == Role::initiator ? picture_->delay.to_target_ns
                                                                : picture_->delay.to_initiator_ns) > 0;
        painter.setBrush(with_alpha(color, faint ? 0.2 : estimated ? 0.6 : 0.9));
        const double length = line.length();
        if (length < 1) continue;
        const QPointF along((line.x2() - line.x1()) / length, (line.y2() - line.y1()) / length);
        const QPointF across(-along.y(), along.x());
        const double size = arrow.length > 0 ? 7 : 5.5;
        const QPointF tip = line.p2();
        const QPointF corners[3] = {tip, tip - along * size + across * (size * 0.38),
                                    tip - along * size - across * (size * 0.38)};
        painter.drawConvexPolygon(corners, 3);
    }
    for (size_t i = 0; i < picture_->arrows.size(); ++i) {
        if (!is_plain(i)) draw_one_arrow(painter, geometry, picture_->arrows[i], is_highlighted(i));
    }
}

// One that is lost, repeats another, or is selected.
void LadderCanvas::draw_one_arrow(QPainter& painter, const LadderGeometry& geometry, const LadderArrow& arrow,
                                  bool highlighted) {
    using Fate = LadderArrow::Fate;
    const double top = geometry.view.origin - spill;
    const double bottom = geometry.view.origin + geometry.view.length + spill;
    const QLineF line = geometry.line(arrow.transit, arrow.sender);
    const auto [from, to] = part_between(line, top, bottom);
    if (from > to) return;
    const bool faint = (dims_ && !highlighted) || !arrow.passes;
    const double strength = faint ? 0.3 : 1;
    const bool repeats = arrow.loss != 0;
    const bool lost = way_of(arrow.fate) < 1 || arrow.fate == Fate::lost_beyond;
    const QColor color = with_alpha(repeats                           ? theme().loss_color(arrow.kind)
                                    : lost                            ? theme().problem
                                    : arrow.sender == Role::initiator ? theme().initiator
                                                                      : theme().target,
                                    strength);
    const double end = std::min(to, way_of(arrow.fate));
    const double width = std::max(1.6, pen_widths[width_class(arrow.length)]);
    if (from < end) {
        const QLineF seen(line.pointAt(from), line.pointAt(end));
        if (highlighted && outlines_) {
            painter.setPen(QPen(theme().selection_fill, width + 7, Qt::SolidLine, Qt::RoundCap));
            painter.drawLine(seen);
        }
        const bool inferred = arrow.packet == 0 && !arrow.measured;
        const auto [certain_from, certain_to] = certain_part(*picture_, arrow);
        const auto section = [&, from = from](double begin, double behind, Qt::PenStyle style) {
            begin = std::max(begin, from);
            behind = std::min(behind, end);
            if (begin >= behind) return;
            painter.setPen(
                QPen(color, style == Qt::SolidLine ? width : std::max(1.2, width * 0.8), style, Qt::FlatCap));
            painter.drawLine(QLineF(line.pointAt(begin), line.pointAt(behind)));
        };
        if (inferred) {
            section(0, 1, Qt::DashLine);
        } else {
            section(0, certain_from, Qt::DashLine);
            section(certain_from, certain_to, Qt::SolidLine);
            section(certain_to, 1, Qt::DashLine);
        }
    }
    if (lost) {
        QPointF at = line.pointAt(way_of(arrow.fate));
        // Behind the point that still saw it.
        if (arrow.fate == Fate::lost_beyond) at += QPointF(line.dx() < 0 ? -9 : 9, 0);
        draw_cross(painter, at, 4.5, with_alpha(theme().problem, strength));
    } else if (arrow.lost_bytes > 0) {
        draw_cross(painter, line.pointAt(0.5), 3, with_alpha(theme().problem, strength));
    }
    if (arrow.fate == Fate::not_captured) {
        draw_loss_mark(painter, theme(), LossKind::not_captured, line.pointAt(0.5), 10);
    } else if (repeats) {
        draw_loss_mark(painter, theme(), arrow.kind, line.p1(), 11);
    }
}

// Writes along a line, from its first end; false where there is no room, or something is written there already.
bool LadderCanvas::draw_along(QPainter& painter, const QLineF& line, const QString& text,
                              const QColor& color) {
    const QFontMetricsF metrics(painter.font());
    const double wide = metrics.horizontalAdvance(text);
    const double height = metrics.height();
    constexpr double clear = 12;
    const double length = line.length();
    if (wide + 2 * clear > length) return false;
    // What is written is kept as points along its middle, a height apart.
    const QPointF along((line.x2() - line.x1()) / length, (line.y2() - line.y1()) / length);
    const bool rightwards = line.dx() >= 0;
    const QPointF up = rightwards ? QPointF(along.y(), -along.x()) : QPointF(-along.y(), along.x());
    const size_t before = written_.size();
    const auto steps = static_cast<size_t>(wide / height) + 1;
    for (size_t step = 0; step <= steps; ++step) {
        const double at = clear + wide * static_cast<double>(step) / static_cast<double>(steps);
        const QPointF point = line.p1() + along * at + up * (height / 2);
        for (size_t i = 0; i < before; ++i) {
            const QPointF apart = written_[i] - point;
            if (QPointF::dotProduct(apart, apart) < height * height * 0.8) {
                written_.resize(before);
                return false;
            }
        }
        written_.push_back(point);
    }
    // Read from left to right, whichever way the packet goes.
    const double angle = std::atan2(rightwards ? line.dy() : -line.dy(), rightwards ? line.dx() : -line.dx());
    painter.save();
    painter.translate(line.p1());
    painter.rotate(angle * 180 / M_PI);
    const double x = rightwards ? clear : -clear - wide;
    painter.fillRect(QRectF(x - 2, -height - 1, wide + 4, height), with_alpha(theme().background, 0.72));
    painter.setPen(color);
    painter.drawText(QPointF(x, -metrics.descent() - 1), text);
    painter.restore();
    return true;
}

void LadderCanvas::draw_arrow_labels(QPainter& painter, const LadderGeometry& geometry) {
    for (auto& taken : taken_) taken.clear();
    written_.clear();
    const double top = geometry.view.origin;
    const double bottom = geometry.view.origin + geometry.view.length;
    QFont small = painter.font();
    small.setPointSizeF(std::max(6.5, small.pointSizeF() * 0.88));
    painter.save();
    painter.setFont(small);
    const double height = QFontMetricsF(small).height();
    // Labels are written at the sender's end, where those of the other direction are not; one needs its height, measured
    // across the slope.
    int rank_now = 0;
    const auto place = [&](const QLineF& line, Role sender, const QString& text, const QColor& color) {
        const auto [from, to] = part_between(line, top + 2, bottom - 2);
        // Where its sender's end is out of sight, only one that goes through all that is in sight is labelled.
        if (from >= to || (from > 0 && to >= 1 && rank_now > 0)) return;
        const double length = line.length();
        if (length < 1) return;
        const double slope = std::abs(line.dx()) / length;
        const double need = height / std::max(0.05, slope);
        auto& taken = taken_[index_of(sender)];
        const auto behind = std::ranges::lower_bound(taken, line.y1());
        if (behind != taken.end() && *behind - line.y1() < need) return;
        if (behind != taken.begin() && line.y1() - *std::prev(behind) < need) return;
        const double reach = rank_now == 0 ? 0.75 : 0.56;
        const QLineF seen(line.pointAt(from), line.pointAt(std::min(to, from + reach)));
        if (draw_along(painter, seen, text, color)) taken.insert(behind, line.y1());
    };
    if (picture_->detail == LadderDetail::commands) {
        for (size_t i = 0; i < picture_->commands.size(); ++i) {
            const LadderCommand& command = picture_->commands[i];
            if (!command.has_request ||
                (dims_ && (highlighted_commands_.empty() || highlighted_commands_[i] == 0)))
                continue;
            place(geometry.line(command.request, Role::initiator), Role::initiator, command.label,
                  command.failed ? theme().problem : theme().text);
        }
    }
    // What shows losses first, then what is rare, then the rest.
    const auto rank = [](const LadderArrow& arrow) {
        if (arrow.loss != 0 || arrow.fate != LadderArrow::Fate::arrived) return 0;
        return (arrow.flags & (tcp_syn | tcp_fin | tcp_rst)) != 0 ? 1 : arrow.sack_blocks > 0 ? 2 : 3;
    };
    for (int now = 0; now < 4; ++now) {
        rank_now = now;
        for (size_t i = 0; i < picture_->arrows.size(); ++i) {
            const LadderArrow& arrow = picture_->arrows[i];
            if (arrow.label.isEmpty() || rank(arrow) != now) continue;
            const bool highlighted = !highlighted_arrows_.empty() && highlighted_arrows_[i] != 0;
            if (dims_ && !highlighted) continue;
            place(geometry.line(arrow.transit, arrow.sender), arrow.sender, arrow.label,
                  now == 0 ? theme().loss_color(arrow.loss != 0 ? arrow.kind : LossKind::rto)
                  : arrow.pure_ack() && now == 3 ? theme().faint_text
                                                 : theme().text);
        }
    }
    painter.restore();
}

// How much earlier or later all far times may be, as long as that is in the time that is drawn.
void LadderCanvas::draw_clock_band(QPainter& painter, const LadderLayout& layout) const {
    const std::optional<LadderPoints>& points = picture_->points;
    if (!points || points->known != LadderPoints::Known::both_ends || points->plus_minus_ns == 0) return;
    const QFontMetricsF metrics(painter.font());
    const double half = static_cast<double>(points->plus_minus_ns) / viewport().ns_per_pixel();
    const double bottom = layout.ladder.bottom() - metrics.height() - 6;
    const double inwards = points->here_is_initiator ? -1 : 1;
    const double x = (points->here_is_initiator ? layout.x_target : layout.x_initiator) + inwards * 12;
    const QString text = tr("± %1").arg(short_duration(points->plus_minus_ns));
    const bool fits = 2 * half <= layout.ladder.height() * 0.8;
    constexpr double least = 1.5;
    const QString words = fits && half >= least ? text
                          : fits                ? tr("%1, less than is seen").arg(text)
                                                : tr("%1, more than fits here").arg(text);
    const double wide = metrics.horizontalAdvance(words) + 8;
    const double left = inwards < 0 ? x - wide + 6 : x - 6;
    const QRectF box(left, layout.ladder.bottom() - metrics.height() - 2, wide, metrics.height());
    painter.fillRect(box, with_alpha(theme().background, 0.85));
    painter.setPen(theme().text);
    painter.drawText(box, Qt::AlignCenter, words);
    if (!fits || half < least) return;
    const double top = bottom - 2 * half;
    painter.fillRect(QRectF(x - 6, top - 2, 12, 2 * half + 4), with_alpha(theme().background, 0.6));
    painter.setPen(QPen(theme().text, 1.6));
    painter.drawLine(QPointF(x, top), QPointF(x, bottom));
    for (const double y : {top, bottom}) painter.drawLine(QPointF(x - 4, y), QPointF(x + 4, y));
}

// What PDU begins with a packet, beside its sender's line.
void LadderCanvas::draw_tags(QPainter& painter, const LadderLayout& layout, const LadderGeometry& geometry) {
    if (picture_->detail != LadderDetail::packets && picture_->detail != LadderDetail::pdus) return;
    const double left_room = geometry.x_initiator - layout.ladder.left() - 12;
    if (left_room < 50) return;
    for (auto& taken : taken_) taken.clear();
    const QFontMetricsF metrics(painter.font());
    const double height = metrics.height();
    for (const bool only_lit : {true, false}) {
        if (only_lit && highlighted_pdus_.empty()) continue;
        for (size_t i = 0; i < picture_->pdus.size(); ++i) {
            const LadderPdu& pdu = picture_->pdus[i];
            const bool highlighted = !highlighted_pdus_.empty() && highlighted_pdus_[i] != 0;
            if (only_lit && !highlighted) continue;
            const double y = geometry.y(pdu.first.left_ns);
            if (y < layout.ladder.top() + height / 2 || y > layout.ladder.bottom() - height / 2) continue;
            auto& taken = taken_[index_of(pdu.sender)];
            const auto behind = std::ranges::lower_bound(taken, y);
            if (behind != taken.end() && *behind - y < height) continue;
            if (behind != taken.begin() && y - *std::prev(behind) < height) continue;
            taken.insert(behind, y);
            const double x = geometry.x_sender(pdu.sender);
            const double side = pdu.sender == Role::initiator ? -1 : 1;
            const QColor color = pdu.sender == Role::initiator ? theme().initiator : theme().target;
            const double strength = (dims_ && !highlighted) || !pdu.passes ? 0.35 : 1;
            painter.setPen(QPen(with_alpha(color, strength), 1.2));
            painter.drawLine(QPointF(x, y), QPointF(x + side * 6, y));
            const QRectF box = pdu.sender == Role::initiator
                                   ? QRectF(x - 9 - left_room, y - height / 2, left_room, height)
                                   : QRectF(x + 9, y - height / 2, left_room, height);
            painter.setPen(with_alpha(pdu.damaged   ? theme().problem
                                      : highlighted ? theme().text
                                                    : color,
                                      strength));
            const Qt::Alignment align =
                (pdu.sender == Role::initiator ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter;
            painter.drawText(box, static_cast<int>(align),
                             metrics.elidedText(pdu.label, Qt::ElideRight, left_room));
        }
    }
}

void LadderCanvas::draw_folded_losses(QPainter& painter, const LadderGeometry& geometry) const {
    for (const LadderLosses& losses : picture_->folded_losses) {
        const double y = geometry.y(losses.time_ns);
        if (y < geometry.view.origin - 10 || y > geometry.view.origin + geometry.view.length + 10) continue;
        const double side = losses.sender == Role::initiator ? 7 : -7;
        draw_loss_mark(painter, theme(), losses.kind, QPointF(geometry.x_sender(losses.sender) + side, y), 8);
    }
}

}  // namespace sanscope
