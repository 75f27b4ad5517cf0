// SPDX-License-Identifier: GPL-3.0-or-later
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "gui/plot/time_axis.h"
#include "gui/views/layers/lanes/group_preparation.h"
#include "gui/views/layers/lanes/lane_geometry.h"
#include "gui/views/layers/lanes/lane_painting.h"
#include "gui/views/layers/lanes/packet_words.h"
#include "gui/views/layers/translated.h"

#include "analyzer/iscsi/bhs.h"
#include "analyzer/report/human_units.h"

namespace sanscope {
namespace {

using layers_view::tr;

PduBar pdu_bar(const GroupPreparation& group, uint32_t row_index) {
    const TrackRows& rows = group.rows();
    const FilterResult* const filter = group.filter();
    const PduRow& row = rows.store().pdus()[row_index];
    PduBar bar;
    bar.begin_ns = rows.begin_of(row);
    bar.end_ns = rows.end_of(row);
    bar.command = row.command;
    bar.first_packet = row.first_packet;
    bar.last_packet = row.last_packet;
    bar.row = row_index;
    bar.data_length = row.data_length;
    bar.opcode = row.opcode;
    bar.damaged = row.damaged;
    bar.faint = filter != nullptr && !filter->rows.pdus.test(row_index);
    if (group.wide(bar.begin_ns, bar.end_ns)) {
        bar.label = short_opcode_name(row.opcode);
        if (row.data_length > 0) {
            bar.label += QLatin1Char(' ') + QString::fromStdString(human_binary_bytes(row.data_length));
        }
    }
    return bar;
}

class PduLane final : public Lane {
  public:
    explicit PduLane(size_t direction)
        : Lane(direction == 0 ? LaneKind::pdus_out : LaneKind::pdus_in, direction) {}

    bool is_in(const TrackRows& rows) const override { return !rows.track().pdus.empty(); }
    int height(const GroupShape&, bool compact) const override {
        return compact ? compact_height() : pdu_lines * pdu_line_height() + 2 * lane_gap;
    }
    void prepare(GroupPreparation& group) const override;
    QString name() const override { return direction() == 0 ? tr("iSCSI PDUs out") : tr("iSCSI PDUs in"); }
    QString hint(const GroupShape&) const override {
        return direction() == 0 ? tr("to the target") : tr("to the initiator");
    }
    QString paint(QPainter& painter, const LanePainting& painting) const override;
    LaneHit hit(const LaneScene& scene, QPointF at) const override;
    QString words(const LaneScene& scene, const LaneHit& hit, const Moment& moment) const override;
};

// Of both directions at once: the connection has one list of them.
void PduLane::prepare(GroupPreparation& group) const {
    const TrackRows& rows = group.rows();
    GroupPicture& picture = group.picture();
    if (direction() != 0 || rows.track().pdus.empty()) return;
    const ReachIndex& reach = group.reach();
    if (group.few(rows.pdus_completed_in(group.range()).size(), 2)) {
        std::vector<uint32_t> positions;
        pdus_under_way(rows, reach, group.range(), positions);
        for (const uint32_t position : positions) {
            PduBar bar = pdu_bar(group, rows.track().pdus[position]);
            picture.pdus[index_of(rows.store().pdus().get<&PduRow::sender>(bar.row))].push_back(
                std::move(bar));
        }
        // One that begins before the last has ended goes to the other line.
        for (auto& bars : picture.pdus) {
            std::ranges::stable_sort(bars, {}, &PduBar::begin_ns);
            std::array<int64_t, pdu_lines> free_from{};
            free_from.fill(no_time);
            for (PduBar& bar : bars) {
                const auto fits =
                    std::ranges::find_if(free_from, [&](int64_t free) { return free <= bar.begin_ns; });
                const auto line = fits != free_from.end() ? fits : std::ranges::min_element(free_from);
                bar.line = static_cast<uint8_t>(line - free_from.begin());
                *line = std::max(*line, bar.end_ns);
            }
        }
        return;
    }
    group.add_pdu_columns();
    if (!group.selected_here()) return;
    for (size_t i = 0; i < std::min(group.selected().pdus.size(), most_selected); ++i) {
        const uint64_t number = group.selected().pdus[i];
        if (number == 0 || number > rows.store().pdus().size()) continue;
        PduBar bar = pdu_bar(group, static_cast<uint32_t>(number - 1));
        if (bar.begin_ns == no_time) continue;
        picture.pdus[index_of(rows.store().pdus().get<&PduRow::sender>(bar.row))].push_back(std::move(bar));
    }
}

QString PduLane::paint(QPainter& painter, const LanePainting& painting) const {
    const LanePlace& place = painting.place;
    const size_t direction = this->direction();
    QString scale;
    const Theme& theme = painting.theme();
    const GroupPicture& picture = painting.picture;
    if (!picture.pdu_columns.empty()) {
        const double foot = place.top + place.height - 1;
        double most = 0;
        over_pixels(
            picture.pdu_columns, painting.scene.prepared, painting.viewport(),
            [&](int, int, const PduColumn& c, double ns) { most = std::max(most, c.pdus[direction] / ns); });
        if (most > 0) scale = tr("max %1/s").arg(short_count(most * 1e9));
        const auto columns = [&](const std::vector<PduColumn>& list, double strength) {
            painting.scratch.rects.clear();
            over_pixels(list, painting.scene.prepared, painting.viewport(),
                        [&](int left, int right, const PduColumn& c, double ns) {
                            if (c.pdus[direction] == 0) return;
                            const double high =
                                std::max(2.0, std::sqrt(c.pdus[direction] / ns / most) * (place.height - 4));
                            add_column(painting.scratch.rects, left, right, foot, high);
                        });
            fill(painter, painting.scratch.rects,
                 painting.on_background(direction == 0 ? theme.initiator : theme.target, strength));
        };
        const double strength = painting.dims ? dimmed_strength : 0.75;
        columns(picture.pdu_columns, picture.passing_pdu_columns.empty() ? strength : filtered_strength);
        if (!picture.passing_pdu_columns.empty()) columns(picture.passing_pdu_columns, strength);
    }
    const double left_edge = painting.left_edge();
    const double right_edge = painting.right_edge();
    for (const PduBar& bar : picture.pdus[direction]) {
        const QRectF rect = rect_of(bar, place, painting.viewport());
        if (rect.right() < left_edge || rect.left() > right_edge) continue;
        const bool is_highlighted = painting.highlighted(bar);
        const double strength = painting.strength(bar.faint, is_highlighted);
        painter.fillRect(rect, painting.on_background(pdu_color(theme, bar.opcode), strength));
        if (bar.damaged) {
            painter.fillRect(QRectF(rect.left(), rect.bottom() - 2, rect.width(), 2),
                             painting.on_background(theme.problem, strength));
        }
        if (rect.width() >= 4) {
            painter.fillRect(QRectF(rect.left(), rect.top(), 1, rect.height()), theme.background);
            if (is_highlighted) {
                painter.setPen(theme.selection);
                painter.setBrush(Qt::NoBrush);
                painter.drawRect(rect);
            }
        }
        if (bar.label.isEmpty() || place.compact) continue;
        const double left = std::max(rect.left(), left_edge) + 3;
        const double room = std::min(rect.right(), right_edge) - left - 2;
        if (rough_width(painting.metrics, bar.label) > room) continue;
        painter.setPen(painting.ink(strength));
        painter.drawText(QPointF(left, rect.center().y() + painting.metrics.ascent() / 2.0 - 1), bar.label);
    }
    return scale;
}

LaneHit PduLane::hit(const LaneScene& scene, QPointF at) const {
    const auto& bars = scene.picture.pdus[direction()];
    size_t index =
        nearest(bars, at, 0, [&](const PduBar& bar) { return rect_of(bar, scene.place, scene.viewport); });
    if (index < bars.size())
        return {LaneHit::What::item, direction(), index, {Selection::Kind::pdu, bars[index].number()}, {}};
    const auto& columns = scene.picture.pdu_columns;
    if (column_at(columns, scene.prepared, scene.viewport.time_at(at.x()), index) &&
        columns[index].pdus[direction()] > 0) {
        return {LaneHit::What::column, direction(), index, {}, {}};
    }
    return {};
}

QString PduLane::words(const LaneScene& scene, const LaneHit& hit, const Moment& moment) const {
    if (hit.what == LaneHit::What::column) {
        const PduColumn& column = scene.picture.pdu_columns[hit.index];
        return column_moment(scene, hit.index, moment) + QLatin1Char('\n') +
               tr("%1 with %2 of data")
                   .arg(counted(column.pdus[hit.direction], tr("PDU"), tr("PDUs")),
                        short_bytes(static_cast<double>(column.bytes[hit.direction])));
    }
    const PduBar& bar = scene.picture.pdus[hit.direction][hit.index];
    QString text = tr("%1, PDU %2, %3 of data")
                       .arg(short_opcode_name(bar.opcode))
                       .arg(bar.number())
                       .arg(QString::fromStdString(human_binary_bytes(bar.data_length)));
    text += QLatin1Char('\n') + moment(bar.begin_ns);
    if (bar.last_packet == 0) {
        text += QLatin1Char('\n') + tr("never complete, from packet %1").arg(bar.first_packet);
    } else if (bar.first_packet == bar.last_packet) {
        text += QLatin1Char('\n') + tr("in packet %1").arg(bar.last_packet);
    } else {
        text += QLatin1Char('\n') + tr("packets %1 to %2, complete after %3")
                                        .arg(bar.first_packet)
                                        .arg(bar.last_packet)
                                        .arg(short_duration(bar.end_ns - bar.begin_ns));
    }
    if (bar.command != 0) text += QLatin1Char('\n') + tr("of command %1").arg(bar.command);
    if (bar.damaged) text += QLatin1Char('\n') + tr("damaged");
    return text;
}

}  // namespace

const Lane& pdu_lane(size_t direction) {
    static const PduLane lanes[] = {PduLane(0), PduLane(1)};
    return lanes[direction];
}

QString short_opcode_name(uint8_t opcode) {
    const char* name = opcode_name(opcode);
    if (name == nullptr) return QStringLiteral("0x%1").arg(opcode, 2, 16, QLatin1Char('0'));
    const QString full = QString::fromUtf8(name);
    return full.startsWith(QLatin1String("SCSI ")) ? full.mid(5) : full;
}

}  // namespace sanscope
