// SPDX-License-Identifier: GPL-3.0-or-later
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "gui/plot/command_words.h"
#include "gui/plot/text_scale.h"
#include "gui/plot/time_axis.h"
#include "gui/views/layers/lanes/group_preparation.h"
#include "gui/views/layers/lanes/lane_geometry.h"
#include "gui/views/layers/lanes/lane_painting.h"
#include "gui/views/layers/lanes/packet_words.h"
#include "gui/views/layers/translated.h"

#include "analyzer/report/human_units.h"
#include "analyzer/vocabulary/command_ending.h"

namespace sanscope {
namespace {

int compact_commands_height() {
    return beside_text(26);
}

using layers_view::tr;

void add_parts(GroupPreparation& group, CommandBar& bar, const CommandRow& row) {
    const bool wanted = (group.selected_here() && group.selected().command == bar.number()) ||
                        (bar.end_ns != no_time && group.wide_enough_for_parts(bar.begin_ns, bar.end_ns));
    CommandBudget budget;
    if (!wanted || row.turnaround_ns() == no_time || !group.reading().budgets()->find(bar.number(), budget))
        return;
    bar.parts = static_cast<uint32_t>(group.picture().command_parts.size());
    group.picture().command_parts.push_back(budget.parts());
}

CommandBar command_bar(GroupPreparation& group, size_t position) {
    const TrackRows& rows = group.rows();
    const FilterResult* const filter = group.filter();
    const CommandRow& row = rows.command(position);
    CommandBar bar;
    bar.begin_ns = rows.begin_of(row);
    bar.end_ns = rows.end_of(row);
    bar.first_data_ns = row.first_byte_ns != no_time ? row.first_byte_ns : row.first_data_ns;
    bar.last_data_ns = row.last_data_ns;
    bar.name = row.name;
    bar.bytes = row.bytes;
    bar.row = rows.track().commands[position];
    bar.opcode = row.opcode;
    bar.slot = rows.track().slots[position];
    bar.status = row.status;
    bar.iscsi_response = row.iscsi_response;
    bar.queue_depth = row.queue_depth;
    bar.outcome = row.outcome;
    bar.bad = failed(row);
    bar.inferred = row.inferred;
    bar.faint = filter != nullptr && !filter->rows.commands.test(bar.row);
    if (group.wide(bar.begin_ns, bar.end_ns == no_time ? group.range().end_ns : bar.end_ns)) {
        bar.short_label = QString::fromUtf8(row.name[0] != '\0' ? row.name : "command");
        bar.label = bar.short_label;
        if (row.bytes != unknown<uint64_t> && row.bytes > 0) {
            bar.label += QLatin1Char(' ') + QString::fromStdString(human_binary_bytes(row.bytes));
        }
        const int64_t turnaround_ns = row.turnaround_ns();
        if (turnaround_ns != no_time) bar.label += QLatin1Char(' ') + short_duration(turnaround_ns);
        if (bar.end_ns == no_time) bar.label += QLatin1Char(' ') + tr("unanswered");
    }
    add_parts(group, bar, row);
    return bar;
}

// In pixels, so that one sees its parts.
constexpr int least_selected_width = 120;

// How high the strip of a command's parts is, along the lower edge of its bar.
double parts_height(double bar_height) {
    return bar_height >= 16 ? 5 : bar_height >= 12 ? 4 : 3;
}

// The parts within what is in sight of a bar: they are amounts, and no places in time.
void paint_parts(QPainter& painter, const LanePainting& painting, const QRectF& bar, const BudgetSums& parts,
                 double strength) {
    const TimeViewport& viewport = painting.viewport();
    const double left = std::round(std::max(bar.left(), viewport.origin));
    const double right = std::round(std::min(bar.right(), viewport.origin + viewport.length));
    const double high = parts_height(bar.height());
    draw_budget_bar(painter, painting.theme(), {left, bar.bottom() - high, right - left, high}, parts,
                    1 - strength);
}

// Of the selected command, whose bar is too narrow to show them: beside it, with a frame.
void paint_parts_beside(QPainter& painter, const LanePainting& painting, const QRectF& bar,
                        const BudgetSums& parts) {
    constexpr double wide = least_selected_width;
    constexpr double high = 7;
    constexpr double gap = 2;
    const TimeViewport& viewport = painting.viewport();
    const double end = viewport.origin + viewport.length;
    if (bar.right() < viewport.origin || bar.left() > end) return;
    const double foot = painting.place.top + painting.place.height;
    // Below the bar, or above it; of one over the whole height of the lane at its side.
    QRectF place(std::round(bar.left()), bar.bottom() + gap, wide, high);
    if (place.bottom() + 1 > foot) place.moveTop(bar.top() - gap - high);
    if (place.top() < painting.place.top) {
        place.moveTop(foot - high - gap);
        place.moveLeft(std::round(bar.right()) + gap);
        if (place.right() > end) place.moveLeft(std::round(bar.left()) - gap - wide);
    }
    place.moveLeft(std::clamp(place.left(), viewport.origin, std::max(viewport.origin, end - wide)));
    const QRectF frame = place.adjusted(-1, -1, 1, 1);
    painter.fillRect(frame, painting.theme().selection);
    painter.fillRect(place, painting.theme().background);
    draw_budget_bar(painter, painting.theme(), place, parts);
}

void paint_bar(QPainter& painter, const LanePainting& painting, const CommandBar& bar) {
    const LanePlace& place = painting.place;
    const Theme& theme = painting.theme();
    const TimeViewport& viewport = painting.viewport();
    const QRectF rect = rect_of(bar, painting.shape, place, viewport);
    if (rect.right() < viewport.origin || rect.left() > viewport.origin + viewport.length) return;
    const bool is_highlighted = painting.highlighted(bar);
    const double strength = painting.strength(bar.faint, is_highlighted);
    const QColor color = painting.on_background(theme.command_color(bar.opcode), strength);
    if (rect.width() < 4) {
        painter.fillRect(rect, bar.bad ? painting.on_background(theme.problem, strength) : color);
    } else {
        // Waiting is lighter than the data on their way.
        painter.fillRect(rect, painting.on_background(theme.command_color(bar.opcode),
                                                      strength * (theme.dark ? 0.72 : 0.5)));
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
            painter.setBrush(painting.on_background(theme.problem, strength));
            painter.drawConvexPolygon(notch, 3);
            painter.fillRect(QRectF(rect.left(), rect.bottom() - 2, rect.width(), 2),
                             painting.on_background(theme.problem, strength));
        }
    }
    const BudgetSums* const parts =
        bar.parts == CommandBar::no_parts ? nullptr : &painting.picture.command_parts[bar.parts];
    const bool has_strip = parts != nullptr && bar.slot < most_slots &&
                           rect.width() >= (is_highlighted ? least_selected_width : least_parts_width);
    if (has_strip) paint_parts(painter, painting, rect, *parts, strength);
    if (is_highlighted) {
        painter.setPen(QPen(theme.selection, 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect.adjusted(-0.5, -0.5, 0.5, 0.5));
        if (parts != nullptr && !has_strip) paint_parts_beside(painter, painting, rect, *parts);
    }
    // Where several share a line, names would cover each other.
    if (bar.label.isEmpty() || rect.height() + 2 < painting.metrics.ascent() || bar.slot >= most_slots ||
        place.compact)
        return;
    const double left = std::max(rect.left(), viewport.origin) + 3;
    const double room = std::min(rect.right(), viewport.origin + viewport.length) - left - 2;
    const bool full = rough_width(painting.metrics, bar.label) <= room;
    const QString& label = full ? bar.label : bar.short_label;
    if (!full && rough_width(painting.metrics, label) > room) return;
    painter.setPen(painting.ink(strength));
    const double middle = rect.center().y() - (has_strip ? parts_height(rect.height()) / 2 : 0);
    painter.drawText(QPointF(left, middle + painting.metrics.ascent() / 2.0 - 1), label);
}

// The mean number of commands under way, stacked by how slow they are, the slow ones on top; behind it the greatest number at
// once. Even the shortest stretch of a slow one can be seen.
void paint_columns(QPainter& painter, const LanePainting& painting, const std::vector<CommandColumn>& columns,
                   double strength) {
    const LanePlace& place = painting.place;
    const double full = place.height - 5;
    const double of_one = full / std::max<uint16_t>(painting.shape.slots, 1);
    const double foot = place.top + place.height - 1;
    painting.scratch.rects.clear();
    for (auto& rects : painting.scratch.rects_by_slowness) rects.clear();
    painting.scratch.failed.clear();
    over_pixels(
        columns, painting.scene.prepared, painting.viewport(),
        [&](int left, int right, const CommandColumn& column, double ns) {
            if (column.most == 0) return;
            add_column(painting.scratch.rects, left, right, foot, std::min(full, column.most * of_one));
            double at = foot;
            for (size_t i = 0; i < slowness_classes; ++i) {
                if (column.busy_ns[i] == 0) continue;
                const double high = std::max(2.0, static_cast<double>(column.busy_ns[i]) / ns * of_one);
                if (at - high < place.top + 4) at = place.top + 4 + high;
                add_column(painting.scratch.rects_by_slowness[i], left, right, at, high);
                at -= high;
            }
            if (column.bad > 0)
                painting.scratch.failed.emplace_back(left, place.top, std::max(2, right - left), 4);
        });
    fill(painter, painting.scratch.rects,
         painting.on_background(painting.theme().initiator, strength * 0.18));
    for (size_t i = 0; i < slowness_classes; ++i) {
        fill(painter, painting.scratch.rects_by_slowness[i],
             painting.on_background(slowness_color(painting.theme(), i), strength));
    }
    fill(painter, painting.scratch.failed, painting.on_background(painting.theme().problem, strength));
}

QString bar_words(const GroupPicture& picture, const CommandBar& bar, const Lane::Moment& moment) {
    QString text = QString::fromUtf8(bar.name[0] != '\0' ? bar.name : "SCSI command");
    if (bar.bytes != unknown<uint64_t> && bar.bytes > 0) {
        text += QLatin1Char(' ') + QString::fromStdString(human_binary_bytes(bar.bytes));
    }
    text += tr(", command %1").arg(bar.number());
    text += QLatin1Char('\n') + moment(bar.begin_ns);
    if (bar.outcome == Outcome::aborted) {
        text += QLatin1Char('\n') + tr("aborted after %1").arg(short_duration(bar.end_ns - bar.begin_ns));
    } else if (bar.outcome == Outcome::rejected) {
        text += QLatin1Char('\n') + tr("rejected after %1").arg(short_duration(bar.end_ns - bar.begin_ns));
    } else if (bar.outcome == Outcome::terminated) {
        text += QLatin1Char('\n') +
                tr("terminated by the target after %1").arg(short_duration(bar.end_ns - bar.begin_ns));
    } else if (bar.end_ns == no_time) {
        text += QLatin1Char('\n') + tr("unanswered");
    } else if (bar.outcome == Outcome::response_only) {
        text += QLatin1Char('\n') + tr("request not captured");
    } else {
        text += QLatin1Char('\n') + tr("turnaround %1").arg(short_duration(bar.end_ns - bar.begin_ns));
        if (bar.first_data_ns != no_time && bar.last_data_ns != no_time) {
            text += tr(": %1 to the first data, %2 of data, %3 to the status")
                        .arg(short_duration(bar.first_data_ns - bar.begin_ns),
                             short_duration(bar.last_data_ns - bar.first_data_ns),
                             short_duration(bar.end_ns - bar.last_data_ns));
        }
    }
    if (bar.status != unknown<uint16_t>) {
        text += QLatin1Char('\n') + tr("status %1").arg(status_text(static_cast<uint8_t>(bar.status)));
    } else if (bar.iscsi_response != unknown<uint16_t>) {
        text += QLatin1Char('\n') + QString::fromStdString(iscsi_response_words(bar.iscsi_response));
    }
    if (bar.queue_depth != unknown<uint32_t>) text += tr(", queue depth %1").arg(bar.queue_depth);
    if (bar.inferred) text += QLatin1Char('\n') + tr("partly inferred: a header was not captured");
    if (bar.parts == CommandBar::no_parts) return text;
    constexpr size_t most_named = 5;
    text += QLatin1Char('\n') + tr("where the time went:");
    for (const QString& line : largest_parts(picture.command_parts[bar.parts], most_named))
        text += QStringLiteral("\n  ") + line;
    return text + QLatin1Char('\n') +
           tr("(the coloured strip: parts in their order, as wide as their shares, not when they were)");
}

QString column_words(const LaneScene& scene, size_t index, const Lane::Moment& moment) {
    const CommandColumn& column = scene.picture.command_columns[index];
    QString text = column_moment(scene, index, moment);
    const auto line = [&](const QString& more) { text += QLatin1Char('\n') + more; };
    line(tr("%1 seen at once at most, %2 begun")
             .arg(counted(column.most, tr("command"), tr("commands")))
             .arg(column.begun));
    line(tr("slowest: command %1, %2 (click selects it)")
             .arg(column.worst + 1)
             .arg(short_duration(column.worst_ns)));
    if (column.bad > 0) line(tr("%1 failed").arg(column.bad));
    return text;
}

class CommandsLane final : public Lane {
  public:
    CommandsLane() : Lane(LaneKind::commands, 0) {}

    bool is_in(const TrackRows& rows) const override { return !rows.track().commands.empty(); }
    int height(const GroupShape& shape, bool compact) const override {
        if (compact) return compact_commands_height();
        const int lines = shape.slots > most_slots ? most_slots + 1 : std::max<int>(shape.slots, 1);
        return std::max(compact_commands_height(), lines * slot_height(shape.slots) + 2 * lane_gap);
    }
    void prepare(GroupPreparation& group) const override;
    QString name() const override { return tr("SCSI commands"); }
    QString hint(const GroupShape& shape) const override {
        return tr("%1 seen at once at most").arg(shape.slots);
    }
    QString paint(QPainter& painter, const LanePainting& painting) const override;
    void paint_legend(QPainter& painter, const LanePainting& painting, int y) const override;
    LaneHit hit(const LaneScene& scene, QPointF at) const override;
    QString words(const LaneScene& scene, const LaneHit& hit, const Moment& moment) const override {
        return hit.what == LaneHit::What::item
                   ? bar_words(scene.picture, scene.picture.commands[hit.index], moment)
                   : column_words(scene, hit.index, moment);
    }
};

void CommandsLane::prepare(GroupPreparation& group) const {
    const TrackRows& rows = group.rows();
    GroupPicture& picture = group.picture();
    if (rows.track().commands.empty()) return;
    const ConnectionTrack& track = rows.track();
    const ReachIndex& reach = group.reach();
    const TrackRows::Run begun = rows.commands_begun_in(group.range());
    const size_t lines = std::clamp<size_t>(track.slots_used, 1, 32);
    if (!group.request().compact_commands && group.few(begun.size(), lines)) {
        std::vector<uint32_t> positions;
        commands_under_way(rows, reach, group.range(), positions);
        if (positions.size() <= 2 * most_items) {
            picture.commands.reserve(positions.size());
            for (const uint32_t position : positions)
                picture.commands.push_back(command_bar(group, position));
            return;
        }
    }
    group.add_command_columns();
    if (!group.selected_here() || group.selected().command == 0 ||
        group.selected().command > rows.store().commands().size())
        return;
    const CommandRow& row = rows.store().commands()[group.selected().command - 1];
    const int64_t begin_ns = rows.begin_of(row);
    if (begin_ns == no_time || row.connection != group.request().connection) return;
    const TrackRows::Run same = rows.commands_begun_in({begin_ns, begin_ns + 1});
    for (size_t i = same.first; i < same.last; ++i) {
        if (track.commands[i] + 1 == group.selected().command)
            picture.commands.push_back(command_bar(group, i));
    }
}

QString CommandsLane::paint(QPainter& painter, const LanePainting& painting) const {
    const GroupPicture& picture = painting.picture;
    const LanePlace& place = painting.place;
    if (!picture.command_columns.empty()) {
        const double strength = painting.dims ? 0.6 : 1;
        paint_columns(painter, painting, picture.command_columns,
                      picture.passing_command_columns.empty() ? strength : filtered_strength);
        if (!picture.passing_command_columns.empty()) {
            paint_columns(painter, painting, picture.passing_command_columns, strength);
        }
        // What is selected stands out over the full height.
        for (const CommandBar& bar : picture.commands) {
            if (!painting.highlighted(bar)) continue;
            const QRectF rect = rect_of(bar, painting.shape, place, painting.viewport());
            const QRectF full(rect.left(), place.top + 1, std::max(2.0, rect.width()), place.height - 2);
            painter.fillRect(full, painting.theme().selection_fill);
            painter.setPen(QPen(painting.theme().selection, 1));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(full);
            if (bar.parts == CommandBar::no_parts) continue;
            const BudgetSums& parts = picture.command_parts[bar.parts];
            if (full.width() >= least_selected_width) {
                paint_parts(painter, painting, full, parts, 1);
            } else {
                paint_parts_beside(painter, painting, full, parts);
            }
        }
        return {};
    }
    for (const CommandBar& bar : picture.commands) {
        if (!painting.highlighted(bar)) paint_bar(painter, painting, bar);
    }
    for (const CommandBar& bar : picture.commands) {
        if (painting.highlighted(bar)) paint_bar(painter, painting, bar);
    }
    return {};
}

void CommandsLane::paint_legend(QPainter& painter, const LanePainting& painting, int y) const {
    const Theme& theme = painting.theme();
    const LanePlace& place = painting.place;
    const int line = painting.metrics.height();
    if (!painting.picture.command_columns.empty()) {
        // The scale of the colours.
        constexpr int wide = 13;
        if (y + 8 + line <= place.top + place.height) {
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
        }
    } else {
        const struct {
            const QColor& color;
            QString text;
        } classes[] = {
            {theme.read, tr("read")}, {theme.write, tr("write")}, {theme.other_command, tr("other")}};
        if (y + line <= place.top + place.height) {
            int x = 24;
            for (const auto& of_class : classes) {
                painter.fillRect(x, y + line / 2 - 4, 8, 8, of_class.color);
                painter.setPen(theme.faint_text);
                painter.drawText(QRect(x + 11, y, layers_gutter(), line), Qt::AlignVCenter, of_class.text);
                x += 11 + painting.metrics.horizontalAdvance(of_class.text) + 8;
            }
        }
        if (!place.compact && painting.shape.slots > most_slots) {
            painter.setPen(theme.faint_text);
            painter.drawText(QRect(24, place.top + place.height - line - 2, layers_gutter() - 26, line),
                             Qt::AlignVCenter,
                             tr("%1 more share this line").arg(painting.shape.slots - most_slots));
        }
    }
}

LaneHit CommandsLane::hit(const LaneScene& scene, QPointF at) const {
    const GroupPicture& picture = scene.picture;
    size_t index = nearest(picture.commands, at, 0, [&](const CommandBar& bar) {
        return rect_of(bar, scene.shape, scene.place, scene.viewport);
    });
    if (index < picture.commands.size()) {
        return {
            LaneHit::What::item, 0, index, {Selection::Kind::command, picture.commands[index].number()}, {}};
    }
    const int64_t time_ns = scene.viewport.time_at(at.x());
    if (!column_at(picture.command_columns, scene.prepared, time_ns, index)) return {};
    const CommandColumn& column = picture.command_columns[index];
    if (column.worst_ns == no_time) return {};
    return {LaneHit::What::column, 0, index, {Selection::Kind::command, uint64_t{column.worst} + 1}, {}};
}

}  // namespace

const Lane& commands_lane() {
    static const CommandsLane lane;
    return lane;
}

}  // namespace sanscope
